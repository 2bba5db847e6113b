"""What the runs' predictions say beside their scores."""

import math
from typing import Any

import pytest

from mocha_lightning.metrics import rouge
from mocha_lightning.report.content import build_report
from mocha_lightning.report.reading import read_runs
from mocha_lightning.report.texts import Texts, read_texts

from .conftest import Folder, diverge, put
from .predicting import DOCUMENTS, RIGHT, WRONG, as_speech, predict, records, write


def read(runs: Folder) -> Texts:
    return read_texts(runs.path, read_runs(runs.path))


def test_without_predictions_there_is_nothing_to_say(runs: Folder) -> None:
    assert read(runs) == Texts()


def test_the_lead_is_what_the_corpus_says_or_the_first_three_sentences(runs: Folder) -> None:
    references = [document["reference"] for document in DOCUMENTS]
    predict(runs)
    row = read(runs).baselines[0]
    assert row.name == "lead: first 3 sentences of the document"
    leads = [f"first {document['id']} .\nsecond .\nthird ." for document in DOCUMENTS]
    found = rouge(references, leads)
    assert found["rouge1"] > 0
    told = ("rouge1", "rouge2", "rougeLsum")
    assert row.scores == {"exact_match": 0, **{key: found[key] for key in told}}

    predict(runs, lambda record: record.update(lead=record["reference"]))
    for variant in RIGHT:
        runs.change_all(variant, put("data.description", {"lead_sentences": 1}))
    row = read(runs).baselines[0]
    assert row.name == "lead: first sentence of the document"
    assert row.scores == {"exact_match": 100, "rouge1": 100, "rouge2": 100, "rougeLsum": 100}


def test_a_source_on_one_line_leads_with_its_sentences(runs: Folder) -> None:
    predict(runs, lambda record: record.update(source="The first. A second. A third. A fourth."))
    references = [document["reference"] for document in DOCUMENTS]
    found = rouge(references, ["The first.\nA second.\nA third."] * len(DOCUMENTS))
    assert found["rouge1"] > 0
    assert read(runs).baselines[0].scores["rouge1"] == found["rouge1"]


def test_what_a_variant_writes_most_often_is_a_baseline_where_it_writes_it_twice(
    runs: Folder,
) -> None:
    predict(runs)
    # The first run of soft has four right, and so no two alike.
    _, constant = read(runs).baselines
    assert constant.name == (
        "constant: for every document, what mocha_w2 (seed 0) writes most often (3 of 4)"
    )
    references = [document["reference"] for document in DOCUMENTS]
    assert constant.scores["rouge1"] == rouge(references, [WRONG] * 4)["rouge1"]


def test_the_experiments_own_measure_is_given_too(runs: Folder) -> None:
    predict(runs)
    for variant in RIGHT:
        runs.change_all(variant, put("metrics.test/rougeL", {"value": 30.0, "signature": "F1"}))
    runs.judge_by("test/rougeL", "max")
    texts = read(runs)
    usual = ["exact_match", "rouge1", "rouge2", "rougeLsum"]
    assert list(texts.baselines[0].scores) == [*usual, "rougeL"]
    # Of the variants what they have told themselves.
    assert {measure: each.mean for measure, each in texts.scores["soft"].items()} == {"rougeL": 30}


def test_parts_of_the_test_set_are_scored_run_by_run(runs: Folder) -> None:
    predict(runs)
    texts = read(runs)
    assert texts.sizes.orders == {"normal": 3, "reversed": 1}
    assert texts.sizes.distances == {0: 1, 1: 2}
    rows = {(row.variant, row.order): row for row in texts.groups}
    assert list(rows) == [
        *(("soft", "normal"), ("mocha_w2", "normal")),
        *(("soft", "reversed"), ("mocha_w2", "reversed")),
    ]
    row = rows["mocha_w2", "normal"]
    assert (row.n, row.documents) == (3, 3)
    scores = row.scores["exact_match"]
    assert scores.values == pytest.approx({0: 100 / 3, 1: 200 / 3, 2: 100 / 3})
    assert scores.mean == pytest.approx(400 / 9)
    assert scores.sd == pytest.approx(100 / 3 / math.sqrt(3))
    assert rows["soft", "reversed"].scores["exact_match"].values == {0: 100, 1: 100, 2: 0}
    part = [record for record in records("db") if record["order"] == "normal"]
    pairs = [[record[key] for record in part] for key in ("reference", "hypothesis")]
    assert row.scores["rouge2"].values[1] == rouge(*pairs)["rouge2"]


def test_distances_are_those_of_documents_in_normal_order(runs: Folder) -> None:
    predict(runs)
    rows = {(row.variant, row.distance): row for row in read(runs).distances}
    assert {key: row.documents for key, row in rows.items()} == {
        **{("soft", 0): 1, ("soft", 1): 2},
        **{("mocha_w2", 0): 1, ("mocha_w2", 1): 2},
    }
    assert rows["mocha_w2", 0].exact_match.values == {0: 100, 1: 100, 2: 100}
    assert rows["mocha_w2", 1].exact_match.values == {0: 0, 1: 50, 2: 0}


def test_a_single_run_has_no_spread(runs: Folder) -> None:
    predict(runs)
    runs.experiment(seeds=[0])
    assert read(runs).groups[0].scores["exact_match"].sd is None


def test_a_run_that_diverged_spoils_the_means_of_its_variant_visibly(runs: Folder) -> None:
    predict(runs)
    runs.change("mocha_w2", 1, diverge(5))
    (runs.file("mocha_w2", 1).parent / "predictions.jsonl").unlink()
    texts = read(runs)
    for row in texts.groups:
        assert row.n == 3
        assert math.isnan(row.scores["rouge1"].mean) == (row.variant == "mocha_w2")
    assert {row.variant for row in texts.distances} == {"soft"}
    assert not texts.warnings


def test_runs_that_were_tested_on_other_documents_are_not_compared(runs: Folder) -> None:
    predict(runs)
    write(runs, "mocha_w2", 2, records("d")[:3])
    texts = read(runs)
    assert not any((texts.baselines, texts.groups, texts.distances))
    assert texts.warnings == (
        "Not all runs were tested on the same examples (others than those of the first: mocha_w2 "
        "seed 2): there are no baselines and no scores of parts.",
    )
    assert len(texts.samples) == 3
    assert texts.warnings[0] in build_report(read_runs(runs.path), texts).warnings


@pytest.mark.parametrize(
    ("key", "value"),
    [("order", "reversed"), ("distance", 3), ("reference", "z ."), ("source", "other .")],
)
def test_documents_of_the_same_names_must_be_the_same(runs: Folder, key: str, value: Any) -> None:
    predict(runs)
    changed = records("d")
    changed[0][key] = value
    write(runs, "mocha_w2", 2, changed)
    texts = read(runs)
    assert not any((texts.baselines, texts.groups, texts.distances))
    assert "mocha_w2 seed 2" in texts.warnings[0]


def test_predictions_that_are_gone_are_said_to_be(runs: Folder) -> None:
    predict(runs)
    (runs.file("soft", 0).parent / "predictions.jsonl").unlink()
    texts = read(runs)
    assert texts.warnings == (
        "No predictions are kept of soft seed 0: what is drawn from predictions is without.",
    )
    assert texts.groups[0].n == 2
    assert texts.sample_seeds == {"soft": 1, "mocha_w2": 0}


def test_samples_are_the_first_by_name_from_the_first_run_of_each_variant(runs: Folder) -> None:
    predict(runs, lambda record: record.update(source=" ".join(["w"] * 61)))
    texts = read(runs)
    assert [sample.id for sample in texts.samples] == ["a", "b", "c"]
    assert texts.sample_seeds == {"soft": 0, "mocha_w2": 0}
    assert texts.samples[0].reference == "d c ."
    assert texts.samples[0].outputs == {"soft": "d c .", "mocha_w2": WRONG}
    assert texts.samples[0].source == " ".join(["w"] * 60) + " …"


def test_speech_has_samples_and_nothing_else(runs: Folder) -> None:
    predict(runs, as_speech)
    texts = read(runs)
    assert [(sample.id, sample.source) for sample in texts.samples] == [
        *(("a", None), ("b", None), ("c", None)),
    ]
    assert not any((texts.scores, texts.baselines, texts.groups, texts.distances))
