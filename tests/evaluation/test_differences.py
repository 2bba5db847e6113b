"""Systems against each other on the same texts."""

from typing import Any

import numpy as np
import pytest
from commands import Command
from scipy import stats

from evaluation.texts import RECORDS, finished, scores, stored, write

WORDS = ("a b c d", "a b x d")
"""Right, and with a word that is wrong; a number is the fifth."""
WER = "wer|corpus|attention:hard"


def records(seed: int, misses: float, texts: int = 200) -> list[dict[str, Any]]:
    """Texts of which a share has a word that is wrong."""
    wrong = np.random.default_rng(seed).random(texts) < misses
    return [
        {"utterance": f"u{n}", "reference": f"{WORDS[0]} {n}", "hypothesis": f"{WORDS[one]} {n}"}
        for n, one in enumerate(wrong.astype(int))
    ]


def wrong(texts: list[dict[str, Any]]) -> np.ndarray:
    """Of each text, per cent of its words that are wrong."""
    return 20.0 * np.array([each["hypothesis"].startswith(WORDS[1]) for each in texts])


def wer(texts: list[dict[str, Any]]) -> float:
    return float(wrong(texts).mean())


def run(name: str, texts: list[dict[str, Any]], signature: str = WER) -> str:
    return finished(name, texts, {"test/wer": stored(wer(texts), signature)})


def difference(found: dict[str, Any], name: str = "wer") -> dict[str, Any]:
    (only,) = found["differences"]
    values: dict[str, Any] = only["scores"][name]
    return values


def test_two_runs_are_apart_by_a_paired_bootstrap_of_the_texts(command: Command) -> None:
    ours, theirs = records(0, 0.4), records(1, 0.2)
    found = scores(command(run("ours", ours), "--against", run("theirs", theirs), "--json"))
    apart = difference(found)
    assert apart["difference"] == pytest.approx(wer(ours) - wer(theirs))
    each = wrong(ours) - wrong(theirs)
    expected = stats.bootstrap(
        (each,), np.mean, n_resamples=5000, method="percentile", rng=np.random.default_rng(9)
    ).confidence_interval
    assert apart["low"] == pytest.approx(expected.low, abs=0.2)
    assert apart["high"] == pytest.approx(expected.high, abs=0.2)
    assert apart["p"] == pytest.approx(stats.ttest_1samp(each, 0).pvalue, abs=0.002)
    assert found["difference_signature"].endswith("resamples:10000|seed:0")


def test_the_first_run_is_told_against_the_other(command: Command) -> None:
    ended = command(run("v/ours", records(0, 0.4)), "--against", run("w/theirs", records(1, 0.2)))
    assert ended.code == 0
    (row,) = [line for line in ended.out.splitlines() if "v/ours - w/theirs" in line]
    assert "+" in row
    assert ended.out.endswith(
        "These are the scores of v/ours/result.json and of w/theirs/result.json.\n"
    )


def test_what_it_says_nothing_of_is_said(command: Command) -> None:
    ended = command(run("a", records(0, 0.4)), "--against", run("b", records(1, 0.2)))
    assert "They do not tell whether one mechanism is better than another" in ended.out
    alone = command("a")
    assert "Differences" not in alone.out


def test_runs_of_one_name_are_told_apart_by_their_paths(command: Command) -> None:
    names = ("x/soft/seed-0", "y/soft/seed-0")
    one, other = (run(name, records(seed, 0.3)) for seed, name in enumerate(names))
    found = scores(command(one, "--against", other, "--json"))
    assert list(found["scores"]) == [one, other]


def test_texts_in_another_order_are_found_by_their_names(command: Command) -> None:
    ours, theirs = records(0, 0.4), records(1, 0.2)
    straight = scores(command(run("a", ours), "--against", run("b", theirs), "--json"))
    turned = scores(command("a", "--against", run("c", theirs[::-1]), "--json"))
    assert difference(turned) == difference(straight)


def test_equal_outputs_have_neither_interval_nor_p(command: Command) -> None:
    texts = records(0, 0.4)
    found = scores(command(run("a", texts), "--against", run("b", texts), "--json"))
    assert difference(found) == {"difference": 0, "low": None, "high": None, "p": None}


def test_systems_of_a_file_are_told_against_its_first(command: Command) -> None:
    file = write("p.jsonl", [{**each, "mine": each["reference"], "bad": "."} for each in RECORDS])
    words = ("--predictions", file, "--hypothesis-column", "hypothesis", "mine", "bad", "--json")
    found = scores(command(*words))
    pairs = [(each["system"], each["against"]) for each in found["differences"]]
    # What knows nothing of a document is no system.
    assert pairs == [(name, "hypothesis") for name in ("mine", "bad", "lead-3")]
    made = found["scores"]
    for each in found["differences"]:
        for name, value in each["scores"].items():
            apart = made[each["system"]][name]["value"] - made["hypothesis"][name]["value"]
            assert value["difference"] == pytest.approx(apart)


def test_a_single_system_is_set_against_nothing(command: Command) -> None:
    file = write("p.jsonl", records(0, 0.3))
    assert "differences" not in scores(command("--predictions", file, "--metric", "wer", "--json"))


def test_how_each_of_two_runs_decodes_is_said(command: Command) -> None:
    texts = records(0, 0.3)
    other = run("b", texts, "wer|corpus|attention:none|ctc")
    ended = command(run("a", texts), "--against", other)
    assert "wer|corpus|attention:hard / wer|corpus|attention:none|ctc\n" in ended.out


def test_a_run_that_is_not_its_result_is_told_of_both(command: Command) -> None:
    texts = records(0, 0.3)
    other = finished("b", texts, {"test/wer": stored(1.0, WER)})
    ended = command(run("a", texts), "--against", other)
    assert ended.code == 1
    assert ended.err.startswith("error: test/wer is ")
    assert "b/result.json" in ended.err
    assert "These are" not in ended.out


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            lambda: run("b", records(0, 0.3, texts=7)),
            "--against: a has 200 texts and b 7: only runs",
        ),
        (
            lambda: run("b", [{**each, "reference": "else"} for each in records(0, 0)]),
            "--against: text 1 of a is not the same in b: only runs of one test set",
        ),
        (
            lambda: run("b", records(0, 0.3), "wer|corpus|case:lower"),
            "--against: wer is not measured alike: wer|corpus|attention:hard in a and "
            "wer|corpus|case:lower in b",
        ),
        (
            lambda: finished("b", records(0, 0.3), {"test/rouge1": stored(1.0)}),
            "--against: a is scored by wer and b by rouge and exact_match: give runs of one task",
        ),
        (lambda: "a", "--against: is the same run: name another"),
        (lambda: "none", "none: is no folder"),
    ],
)
def test_what_cannot_be_set_against_each_other_is_refused(
    command: Command, other: Any, said: str
) -> None:
    ended = command(run("a", records(0, 0.3)), "--against", other())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines()[-1].startswith(f"error: {said}")


def test_a_file_is_not_set_against_a_run(command: Command) -> None:
    ended = command("--predictions", write("p.jsonl", RECORDS), "--against", "a")
    assert ended.code == 2
    assert ended.err.startswith("error: --against: is for runs (of a file, name two columns")
