"""The table for a paper."""

import re

from mocha_lightning.report.content import build_report
from mocha_lightning.report.latex import latex
from mocha_lightning.report.latex.table import escaped
from mocha_lightning.report.reading import read_runs

from .conftest import EXPERIMENT, Folder, diverge, put


def table(runs: Folder) -> str:
    return latex(build_report(read_runs(runs.path)))


def rows(text: str) -> list[list[str]]:
    body = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
        for line in body.split("\n")
        if line.strip()
    ]


def test_a_variant_has_the_paper_s_columns(runs: Folder) -> None:
    assert rows(table(runs)) == [
        ["soft", "3", "4.00", r"4.20 $\pm$ 0.20"],
        [r"mocha\_w2", "3", "2.00", r"2.20 $\pm$ 0.20"],
    ]


def test_the_caption_names_metric_signature_and_data(runs: Folder) -> None:
    (caption,) = (line for line in table(runs).splitlines() if r"\caption{" in line)
    for part in (
        "tiny: test/wer under hard decoding, in per cent; lower is better.",
        "test/wer by jiwer 4.0.0",
        "spoken-numbers",
    ):
        assert part in caption


def test_below_stands_what_makes_it_again(runs: Folder) -> None:
    runs.change("soft", 0, put("provenance.command", "mocha-lightning run 'a\nb%'"))
    after = table(runs).partition(r"\end{table}")[2].strip().splitlines()
    assert all(line.startswith("% ") for line in after)
    assert "mocha-lightning run 'a b%'" in after[0]
    assert "commit abcdef012345" in after[0]
    assert after[1] == "% data sha256: " + "d47a" * 16


def test_what_has_no_figure_claims_none(runs: Folder) -> None:
    runs.experiment(variants={**EXPERIMENT["variants"], "empty": {}})
    runs.change("soft", 1, diverge(300))
    for seed in (1, 2):
        runs.remove("mocha_w2", seed)
    text = table(runs)
    assert rows(text) == [
        ["soft !", "3", "NaN", "NaN"],
        [r"mocha\_w2", "1", "2.00", "2.00"],
        ["empty", "0", "\N{EN DASH}", "\N{EN DASH}"],
    ]
    assert r"\textbf{INCOMPLETE: 5 of 9 runs are missing" in text
    assert "! soft, seed 1: ended early (the training loss was nan at step 300)." in text


def test_signs_that_mean_something_to_latex_are_printed() -> None:
    assert escaped(r"a_b & 50% #1 {x} $y$") == r"a\_b \& 50\% \#1 \{x\} \$y\$"
    assert escaped("\\~^\n") == r"\textbackslash{}\textasciitilde{}\textasciicircum{} "


def test_a_name_cannot_end_the_table(runs: Folder) -> None:
    evil = r"\end{tabular}%&"
    runs.experiment(variants={evil: {}, **EXPERIMENT["variants"]})
    text = table(runs)
    assert text.count(r"\end{tabular}") == 1
    assert len(rows(text)[0]) == 4
