"""The command ``evaluate`` on finished runs."""

import json
from pathlib import Path

import pytest
from commands import Command

from evaluation.texts import (
    GREEDY,
    RECORDS,
    f1,
    finished,
    flat,
    of_documents,
    scores,
    stored,
)


def test_a_runs_scores_are_those_of_its_result(command: Command) -> None:
    run = finished("run", GREEDY, of_documents())
    ended = command(run)
    assert ended.code == 0
    assert ended.out.endswith("These are the scores of run/result.json.\n")
    found = scores(command(run, "--json"))
    assert found["equals_result"] is True
    assert found["signatures"]["rouge1"].startswith("signature|95 % interval")
    assert list(found["scores"])[:3] == ["hypothesis", "hypothesis_greedy", "lead-3"]


def test_a_runs_sentences_are_lines_whether_or_not_it_has_any(command: Command) -> None:
    records = [{**each, "reference": flat(each["reference"])} for each in GREEDY]
    texts = ([each["reference"] for each in records], [each["hypothesis"] for each in records])
    names = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    changes = {name: f1(name, *texts) for name in names}
    ended = command(finished("run", records, of_documents(**changes)))
    assert (ended.code, ended.err) == (0, "")
    assert "sentences:punkt" not in ended.out


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


def test_predictions_that_are_not_all_there_are_no_ones_scores(command: Command) -> None:
    run = finished("run", RECORDS, of_documents())
    path = Path("run/result.json")
    result = json.loads(path.read_text())
    result["data"] = {"description": {"splits": {"test": {"documents": len(RECORDS) + 1}}}}
    path.write_text(json.dumps(result))
    ended = command(run)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(
        f"error: run/predictions.jsonl: has {len(RECORDS)} texts, and the test set that result.json"
    )


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
    scored = '{"ended": "completed", "metrics": {"test/wer": {"signature": "", "value": %s}}%s}'
    for content in (
        *("", "[]", '{"metrics": {"a": 1}}', '{"metrics": {}}', "[" * 100_000),
        *(scored % (value, "") for value in ("true", "Infinity", "1" + "0" * 400)),
        scored % (1, ', "data": {"description": {"splits": {"test": {"utterances": "x"}}}}'),
    ):
        Path("run/result.json").write_text(content)
        ended = command(run)
        assert ended.err == "error: run/result.json: is no whole result: do the run again\n"
        assert ended.code == 2
    Path("run/result.json").write_text(scored % (1, ', "schema": 2'))
    assert "its schema 2 is newer than the 1 that this version knows: update" in command(run).err
