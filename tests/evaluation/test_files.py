"""The command ``evaluate`` on files of texts."""

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import jiwer
import pytest
from commands import Command

from evaluation.texts import (
    RECORDS,
    f1,
    flat,
    scores,
    without,
    write,
)


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


def test_plain_text_is_a_text_a_line_whose_sentences_punkt_finds(command: Command) -> None:
    references, hypotheses = (
        [each[key] for each in RECORDS] for key in ("reference", "hypothesis")
    )
    hypotheses[3] = ""
    Path("r.txt").write_text("".join(f"{flat(each)}\r\n" for each in references))
    Path("h.txt").write_text("\n".join(map(flat, hypotheses[:3])) + "\n\n")
    ended = command("--predictions", "h.txt", "--references", "r.txt", "--json")
    found = scores(ended)
    for name in ("rouge1", "rougeLsum"):
        expected = f1(name, references, hypotheses)
        assert found["scores"]["hypothesis"][name]["value"] == pytest.approx(expected)
    assert f"|sentences:punkt|nltk:{version('nltk')}|" in found["signatures"]["rougeLsum"]
    assert ended.err == (
        "no reference has several lines: for ROUGE-Lsum, Punkt finds the sentences of all texts\n"
    )


def test_json_lines_without_line_ends_have_the_same_sentences(command: Command) -> None:
    lined = scores(command("--predictions", write("p.jsonl", RECORDS), "--json"))
    running = [
        {**each, "reference": flat(each["reference"]), "hypothesis": flat(each["hypothesis"])}
        for each in RECORDS
    ]
    found = scores(command("--predictions", write("p.jsonl", running), "--json"))
    assert found["scores"] == lined["scores"]
    assert "|sentences:lines|" in lined["signatures"]["rougeLsum"]
    assert "|sentences:punkt|" in found["signatures"]["rougeLsum"]


def test_a_system_without_line_ends_beside_references_with_them_is_told(command: Command) -> None:
    records = [{**each, "hypothesis_b": flat(each["hypothesis"])} for each in RECORDS]
    ended = command("--predictions", write("p.jsonl", records))
    assert ended.code == 0
    assert ended.err == (
        "p.jsonl: no text of hypothesis_b has several lines, which the references have: "
        "ROUGE-Lsum takes each for a single sentence\n"
    )


def test_published_outputs_score_alike_with_line_ends_and_without(
    command: Command, real_file: Callable[[str], Path]
) -> None:
    """See et al.'s, whose ROUGE-L is ROUGE-Lsum; of one sentence, it is ten points lower."""
    file = real_file("cnn_dailymail/published_system_outputs.jsonl")
    references = [str(file.parent / f"{split}.jsonl") for split in ("train", "validation", "test")]
    system = "pointer_generator_coverage"
    with file.open(encoding="utf-8") as lines:
        write("p.jsonl", [json.loads(line) for line, _ in zip(lines, range(120), strict=False)])
    lined = scores(
        command(
            *("--predictions", "p.jsonl", "--hypothesis-column", system, "seq2seq_attention"),
            *("--references", *references, "--reference-column", "highlights"),
            *("--subset", "--metric", "rouge", "--json"),
        )
    )
    assert lined["left_out"] == {"references": 700 - 120, "predictions": 0}
    assert list(lined["scores"])[:2] == [system, "seq2seq_attention"]
    true = {
        row["id"]: row["highlights"]
        for name in references
        for row in map(json.loads, Path(name).read_text(encoding="utf-8").split("\n")[:-1])
    }
    rows = [*map(json.loads, Path("p.jsonl").read_text().splitlines())]
    Path("h.txt").write_text("".join(f"{flat(row[system])}\n" for row in rows))
    Path("r.txt").write_text("".join(f"{flat(true[row['id']])}\n" for row in rows))
    plain = scores(
        command("--predictions", "h.txt", "--references", "r.txt", "--metric", "rouge", "--json")
    )["scores"]["hypothesis"]
    for name, value in plain.items():
        assert value["value"] == pytest.approx(lined["scores"][system][name]["value"], abs=0.3)
    assert plain["rougeLsum"]["value"] == pytest.approx(36.38, abs=3)
    assert plain["rougeL"]["value"] < plain["rougeLsum"]["value"] - 7


def test_columns_of_others_are_scored_under_their_names(command: Command) -> None:
    usual = scores(command("--predictions", write("p.jsonl", RECORDS), "--json"))["scores"]
    outputs = [
        {"key": each["id"], "copy": each["reference"], "system": each["hypothesis"]}
        for each in RECORDS
    ]
    true = [{"key": each["id"], "highlights": each["reference"]} for each in RECORDS[::-1]]
    files = ("--predictions", write("o.jsonl", outputs))
    files = (*files, "--references", write("r.jsonl", true[:1]), write("s.jsonl", true[1:]))
    names = ("--hypothesis-column", "system", "copy", "--reference-column", "highlights")
    ended = command(*files, *names, "--id-column", "key", "--json")
    found = scores(ended)["scores"]
    assert list(found) == ["system", "copy", "mismatched", "constant"]
    assert found["system"] == usual["hypothesis"]
    assert found["mismatched"] == usual["mismatched"]
    assert found["copy"]["exact_match"]["value"] == 100
    table = command(*files, *names, "--id-column", "key").out
    assert "mismatched: each output of system against" in table


def test_a_subset_is_what_both_have_and_the_rest_is_counted(command: Command) -> None:
    whole = scores(command("--predictions", write("p.jsonl", RECORDS[1:3]), "--json"))
    predictions = write("h.jsonl", without(RECORDS[1:], "reference"))
    references = write("r.jsonl", without(RECORDS[:3], "hypothesis", "source"))
    files = ("--predictions", predictions, "--references", references)
    assert command(*files).code == 2
    found = scores(command(*files, "--subset", "--json"))
    assert found.pop("left_out") == {"references": 1, "predictions": 1}
    assert found == whole
    assert (
        "left out: 1 of the references, which have no prediction, and 1 of the predictions, which "
        "have no reference\n"
    ) in command(*files, "--subset").out


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
        (["run", "--subset"], "--subset: is for --predictions alone"),
        (["run", "--id-column", "x"], "--hypothesis-column, --reference-column, --id-column: are"),
        (["--predictions", "a.jsonl", "--subset"], "--subset: is of two files' texts: give"),
        (
            ["--predictions", "a.jsonl", "--hypothesis-column", "b"],
            "a.jsonl, line 1: has no 'b' (it has 'id', 'reference', 'hypothesis', 'constant'): "
            "give each line one, or name another column with --hypothesis-column",
        ),
        (
            ["--predictions", "a.jsonl", "--reference-column", "b"],
            "a.jsonl, line 1: has no 'b' (it has 'id', 'reference', 'hypothesis', 'constant'): "
            "give each line one, or name another column with --reference-column or another file",
        ),
        (["--predictions", "a.jsonl", "--id-column", "b"], "--id-column: no line of the files has"),
        (
            ["--predictions", "text.txt", "--hypothesis-column", "b"],
            "--hypothesis-column: text.txt is plain text, which has no columns",
        ),
        (
            ["--predictions", "a.jsonl", "--references", "text.txt", "--subset"],
            "--subset: text.txt has no ids, which tell what belongs together",
        ),
        (
            ["--predictions", "a.jsonl", "--references", "c.jsonl", "--subset"],
            "--subset: a.jsonl and c.jsonl have no id in common",
        ),
        (
            ["--predictions", "a.jsonl", "--references", "c.jsonl", "d.jsonl"],
            "d.jsonl, line 1: has the id 'z' of c.jsonl, line 1: each text must be there once",
        ),
        (
            ["--predictions", "a.jsonl", "--references", "c.jsonl", "c.jsonl"],
            "--references: a file is given twice",
        ),
        (
            ["--predictions", "a.jsonl", "--hypothesis-column", "constant"],
            "--hypothesis-column: 'constant' is what a baseline is called here",
        ),
        (["none"], "none: is no folder"),
        (["."], ".: has no result.json"),
    ],
)
def test_a_mistake_is_one_line(command: Command, words: list[str], said: str) -> None:
    Path("text.txt").write_text("a\n")
    Path("latin.txt").write_bytes(b"a\ncaf\xe9\n")
    write("a.jsonl", [{**each, "constant": "c\nd"} for each in without(RECORDS, "source")])
    for name in ("c.jsonl", "d.jsonl"):
        write(name, [{"id": "z", "reference": "r"}])
    ended = command(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {said}")
    assert ended.err.count("\n") == 1


def test_without_a_reference_word_there_is_no_word_error_rate(command: Command) -> None:
    write("p.jsonl", [{"reference": " ", "hypothesis": "a"}])
    ended = command("--predictions", "p.jsonl", "--metric", "wer")
    assert (ended.code, ended.err[:40]) == (2, "error: p.jsonl: the references have no w")
