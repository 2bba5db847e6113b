"""The command ``evaluate``."""

import json
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer
from test_cli import Command, Ended

from mocha_lightning.cli import main

RECORDS = [
    {
        "id": f"d{number}",
        "source": f"first {number} .\nsecond word .\nthird cat .\nfourth .",
        "reference": reference,
        "hypothesis": hypothesis,
    }
    for number, (reference, hypothesis) in enumerate(
        (
            ("the cat sat .", "the cats sat ."),
            ("a dog ran .\nit slept .", "it slept .\na dog ."),
            ("third cat .", "Third cat ."),
            ("one two three .", "four ."),
        )
    )
]


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Evaluate in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def give(*words: str) -> Ended:
        with pytest.raises(SystemExit) as caught:
            main(["evaluate", *words])
        said = capsys.readouterr()
        return Ended(int(caught.value.code or 0), said.out, said.err)

    return give


def write(name: str, records: list[Any]) -> str:
    Path(name).write_text("".join(f"{json.dumps(each)}\n" for each in records))
    return name


def without(records: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{key: each[key] for key in each if key not in names} for each in records]


def f1(name: str, references: list[str], hypotheses: list[str]) -> float:
    scorer = RougeScorer([name], use_stemmer=True)
    pairs = zip(references, hypotheses, strict=True)
    return 100 * float(np.mean([scorer.score(*pair)[name].fmeasure for pair in pairs]))


def scores(ended: Ended) -> dict[str, Any]:
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


# -- Files ---------------------------------------------------------------------------------------


def test_documents_are_scored_beside_lead_and_controls(command: Command) -> None:
    found = scores(command("--predictions", write("p.jsonl", RECORDS), "--json"))
    references = [each["reference"] for each in RECORDS]
    hypotheses = [each["hypothesis"] for each in RECORDS]
    assert list(found["scores"]) == ["hypothesis", "lead-3", "mismatched", "constant"]
    leads = ["\n".join(each["source"].split("\n")[:3]) for each in RECORDS]
    for system, texts in (
        ("hypothesis", hypotheses),
        ("lead-3", leads),
        ("constant", [hypotheses[0]] * 4),
    ):
        for name in ("rouge1", "rouge2", "rougeL", "rougeLsum"):
            value = found["scores"][system][name]
            assert value["value"] == pytest.approx(f1(name, references, texts))
            assert value["low"] <= value["value"] <= value["high"]
    assert found["scores"]["hypothesis"]["exact_match"]["value"] == 25
    assert found["texts"] == 4
    for line in found["signatures"].values():
        assert line.endswith("resamples:1000|seed:0")


def test_a_system_that_a_line_lacks_is_missed_whichever_line_it_is(command: Command) -> None:
    records = [dict(each) for each in RECORDS]
    records[2]["hypothesis_b"] = "a"
    ended = command("--predictions", write("p.jsonl", records))
    assert ended.code == 2
    assert "p.jsonl, line 1: " in ended.err
    assert "hypothesis_b" in ended.err


def test_a_single_document_has_no_other_to_be_mismatched_with(command: Command) -> None:
    found = scores(command("--predictions", write("p.jsonl", RECORDS[:1]), "--json"))["scores"]
    assert list(found) == ["hypothesis", "lead-3"]


def test_the_table_says_the_same(command: Command) -> None:
    file = write("p.jsonl", RECORDS)
    found = scores(command("--predictions", file, "--json"))["scores"]
    ended = command("--predictions", file)
    rows = {line.split()[0]: line for line in ended.out.splitlines() if "(" in line}
    for system, by_name in found.items():
        for each in by_name.values():
            assert f"{each['value']:.2f} ({each['low']:.2f}-{each['high']:.2f})" in rows[system]
    assert "resamples:1000|seed:0" in ended.out
    assert "stemmer:porter" in ended.out


def test_no_system_s_name_is_cut(command: Command) -> None:
    name = "hypothesis_of_a_system_with_a_long_name [red]"
    records = [{**each, name: each["hypothesis"]} for each in RECORDS]
    ended = command("--predictions", write("p.jsonl", records), "--metric", "exact_match")
    assert any(line.strip().startswith(f"{name} ") for line in ended.out.splitlines())


def test_a_lead_that_the_corpus_defines_is_taken(command: Command) -> None:
    records = [{**each, "lead": "third cat ."} for each in RECORDS]
    found = scores(command("--predictions", write("p.jsonl", records), "--json"))["scores"]
    assert found["lead"]["exact_match"]["value"] == 25
    assert "lead-3" not in found


def test_word_error_rates_are_ratios_of_sums(command: Command) -> None:
    file = write("p.jsonl", RECORDS)
    found = scores(command("--predictions", file, "--metric", "wer", "--json"))
    assert list(found["scores"]) == ["hypothesis"]
    expected = jiwer.wer(
        [each["reference"] for each in RECORDS], [each["hypothesis"] for each in RECORDS]
    )
    assert found["scores"]["hypothesis"]["wer"]["value"] == pytest.approx(100 * expected)


def test_references_of_another_file_are_found_by_their_ids(command: Command) -> None:
    together = scores(command("--predictions", write("p.jsonl", RECORDS), "--json"))
    predictions = write("h.jsonl", without(RECORDS, "reference"))
    references = write("r.jsonl", without(RECORDS, "hypothesis", "source")[::-1])
    apart = scores(command("--predictions", predictions, "--references", references, "--json"))
    assert apart == together


def test_plain_text_is_a_text_a_line(command: Command) -> None:
    lines = [(each["reference"].replace("\n", " "), each["hypothesis"]) for each in RECORDS]
    Path("r.txt").write_text("".join(f"{reference}\r\n" for reference, _ in lines))
    Path("h.txt").write_text("\n".join(each.replace("\n", " ") for _, each in lines[:3]) + "\n\n")
    found = scores(command("--predictions", "h.txt", "--references", "r.txt", "--json"))
    hypotheses = [each.replace("\n", " ") for _, each in lines[:3]] + [""]
    for name in ("rouge1", "rougeLsum"):
        expected = f1(name, [reference for reference, _ in lines], hypotheses)
        assert found["scores"]["hypothesis"][name]["value"] == pytest.approx(expected)


def test_references_without_a_word_for_rouge_are_told(command: Command) -> None:
    records = [*RECORDS, {**RECORDS[0], "id": "x", "reference": "кот", "hypothesis": "кот"}]
    ended = command("--predictions", write("p.jsonl", records))
    assert ended.code == 0
    assert ended.err == (
        "p.jsonl: 1 of 5 references have no word of a-z and 0-9, which alone ROUGE takes, and "
        "score 0\n"
    )


ONE = '{"id": "a", "reference": "r", "hypothesis": "h"}\n'
MISTAKES = [
    (ONE + "{\n", None, "p.jsonl, line 2: is no JSON ("),
    (ONE + "[1]\n", None, "p.jsonl, line 2: is no JSON object"),
    (ONE + '\n{"id": "b", "reference": "r"}\n', None, "p.jsonl, line 3: has no 'hypothesis' (it"),
    (ONE + '{"id": "b", "hypothesis": "r"}\n', None, "p.jsonl, line 2: has no 'reference' (it"),
    (ONE + ONE.replace('"r"', "7"), None, "p.jsonl, line 2: has the id 'a' of line 1"),
    (ONE.replace('"r"', "null"), None, "p.jsonl, line 1: has no text as its 'reference'"),
    (ONE + '{"reference": "r", "hypothesis": "h"}\n', None, "p.jsonl, line 2: has no 'id'"),
    (ONE.replace('"a"', "[1]"), None, "p.jsonl, line 1: has neither text nor number as its 'id'"),
    ("", None, "p.jsonl: is empty"),
    ("\n\n", None, "p.jsonl: is empty"),
    (ONE, "", "r.jsonl: is empty"),
    (
        ONE + ONE.replace('"a"', '"b"'),
        '{"id": "a", "reference": "r"}\n',
        "p.jsonl, line 2: 'b' has no reference in r.jsonl",
    ),
    (
        ONE,
        '{"id": "b", "reference": "r"}\n{"id": "a", "reference": "r"}\n',
        "r.jsonl, line 1: 'b' has no prediction in p.jsonl",
    ),
    (ONE, '{"id": "a"}\n', "r.jsonl, line 1: has no 'reference'"),
    (
        '{"hypothesis": "h"}\n',
        '{"reference": "r"}\n{"reference": "r"}\n',
        "r.jsonl, line 2: has no prediction: p.jsonl has 1 texts and r.jsonl 2",
    ),
    (
        '{"hypothesis": "h"}\n{"hypothesis": "h"}\n',
        '{"reference": "r"}\n',
        "p.jsonl, line 2: has no reference: r.jsonl has 1 texts and p.jsonl 2",
    ),
]


@pytest.mark.parametrize(("predictions", "references", "said"), MISTAKES)
def test_a_mistake_in_a_file_is_a_line_that_names_its_place(
    command: Command, predictions: str, references: str | None, said: str
) -> None:
    Path("p.jsonl").write_text(predictions)
    words = ["--predictions", "p.jsonl"]
    if references is not None:
        Path("r.jsonl").write_text(references)
        words += ["--references", "r.jsonl"]
    ended = command(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {said}")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give a finished run's folder, or else --predictions FILE"),
        (["run", "--predictions", "x.jsonl"], "give a finished run's folder, or else"),
        (["run", "--metric", "wer"], "--metric: is for --predictions alone"),
        (["--predictions", "x.jsonl", "--metric", "bleu"], "--metric: invalid choice: 'bleu'"),
        (["--predictions", "none.jsonl"], "none.jsonl: cannot be read (No such file"),
        (["--predictions", "."], ".: is a folder"),
        (["--predictions", "text.txt"], "text.txt: is plain text, which has no references"),
        (["--predictions", "latin.txt"], "latin.txt, line 2: is not UTF-8 (byte 4 of the line)"),
        (["none"], "none: is no folder"),
        (["."], ".: has no result.json"),
    ],
)
def test_a_mistake_is_one_line(command: Command, words: list[str], said: str) -> None:
    Path("text.txt").write_text("a\n")
    Path("latin.txt").write_bytes(b"a\ncaf\xe9\n")
    ended = command(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {said}")
    assert ended.err.count("\n") == 1


def test_without_a_reference_word_there_is_no_word_error_rate(command: Command) -> None:
    write("p.jsonl", [{"reference": " ", "hypothesis": "a"}])
    ended = command("--predictions", "p.jsonl", "--metric", "wer")
    assert (ended.code, ended.err[:40]) == (2, "error: p.jsonl: the references have no w")


# -- Runs ----------------------------------------------------------------------------------------


def finished(folder: str, records: list[dict[str, Any]], metrics: dict[str, Any]) -> str:
    """A run's folder as far as its scores go."""
    Path(folder).mkdir(exist_ok=True)
    write(f"{folder}/predictions.jsonl", records)
    result = {"metrics": metrics, "ended": "completed"}
    Path(folder, "result.json").write_text(json.dumps(result))
    return folder


def stored(value: float, signature: str = "signature") -> dict[str, Any]:
    """As a result has it: through a 32-bit number."""
    return {"value": float(np.float32(value)), "signature": signature}


def of_documents(**changes: float) -> dict[str, Any]:
    references = [each["reference"] for each in RECORDS]
    hypotheses = [each["hypothesis"] for each in RECORDS]
    names = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    values = {name: f1(name, references, hypotheses) for name in names} | {"exact_match": 25.0}
    values |= {f"{name}_greedy": 0.0 for name in values} | changes
    return {
        **{f"test/{name}": stored(value) for name, value in values.items()},
        "val/rouge1": stored(1.0),
        "test/loss": stored(2.0),
    }


GREEDY = [{**each, "hypothesis_greedy": "nothing"} for each in RECORDS]


def test_a_runs_scores_are_those_of_its_result(command: Command) -> None:
    run = finished("run", GREEDY, of_documents())
    ended = command(run)
    assert ended.code == 0
    assert ended.out.endswith("These are the scores of run/result.json.\n")
    found = scores(command(run, "--json"))
    assert found["equals_result"] is True
    assert found["signatures"]["rouge1"].startswith("signature|95 % interval")
    assert list(found["scores"])[:3] == ["hypothesis", "hypothesis_greedy", "lead-3"]


@pytest.mark.parametrize(
    ("name", "value"), [("rouge2", 1e-4), ("rougeLsum_greedy", 1e-5), ("exact_match", 25.0001)]
)
def test_scores_that_are_not_those_of_the_result_are_an_error(
    command: Command, name: str, value: float
) -> None:
    run = finished("run", GREEDY, of_documents(**{name: value}))
    ended = command(run)
    assert ended.code == 1
    assert ended.err.startswith(f"error: test/{name} is ")
    assert ended.err.count("\n") == 1
    assert "These are" not in ended.out
    ended = command(run, "--json")
    assert (ended.code, json.loads(ended.out)["equals_result"]) == (1, False)


def test_scores_without_predictions_are_an_error(command: Command) -> None:
    ended = command(finished("run", RECORDS, of_documents()))
    assert ended.code == 1
    assert "error: test/rouge1_greedy: there are no predictions of it\n" in ended.err


def test_speech_is_scored_without_what_is_nothing_said(command: Command) -> None:
    records = [
        {"utterance": "u1", "reference": "a b <noise>", "hypothesis": "a <noise> c"},
        {"utterance": "u2", "reference": "d", "hypothesis": "d"},
    ]
    signature = "wer|corpus|without:<noise>|attention:hard"
    run = finished("run", records, {"test/wer": stored(100 / 3, signature)})
    found = scores(command(run, "--json"))
    assert found["scores"]["hypothesis"]["wer"]["value"] == pytest.approx(100 / 3)
    assert list(found["scores"]) == ["hypothesis"]


def test_a_run_that_has_no_scores_of_texts_is_said_so(command: Command) -> None:
    run = finished("run", RECORDS, {"test/error": stored(1.0)})
    assert "has neither ROUGE nor a word error rate" in command(run).err
    Path("run/predictions.jsonl").unlink()
    assert "error: run: has no predictions.jsonl, so" in command(run).err
    result = {"metrics": {"test/wer": {"value": None, "signature": "s"}}, "ended": "NaN at 7"}
    Path("run/result.json").write_text(json.dumps(result))
    assert "error: run: has diverged (NaN at 7), so" in command(run).err
    for content in ("", "[]", '{"metrics": {"a": 1}}', '{"metrics": {}}'):
        Path("run/result.json").write_text(content)
        ended = command(run)
        assert ended.err == "error: run/result.json: is no whole result: do the run again\n"
        assert ended.code == 2
