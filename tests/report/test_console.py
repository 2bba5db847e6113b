"""The report on a terminal."""

import re

import pytest
from rich.console import Console

from mocha_lightning.report import print_report
from mocha_lightning.report.content import build_report
from mocha_lightning.report.layout import comparison_table, variant_table
from mocha_lightning.report.reading import read_runs
from mocha_lightning.report.text_tables import group_table, scores_table
from mocha_lightning.report.texts import read_texts

from .conftest import EXPERIMENT, PUBLISHED, Folder, put, result
from .predicting import predict


def printed(runs: Folder, width: int) -> str:
    console = Console(width=width, record=True, quiet=False)
    with console.capture() as capture:
        print_report(build_report(read_runs(runs.path)), console)
    return capture.get()


def test_it_says_what_the_page_says(runs: Folder) -> None:
    runs.remove("soft", 1)
    runs.change("mocha_w2", 0, put("metrics.test/length_cap.value", 0.05))
    text = printed(runs, width=200)
    for part in (
        "INCOMPLETE: 1 of 6 runs are missing: soft seed 1.",
        "Warning: Fewer than 5 runs",
        "tiny: test/wer under hard decoding, in per cent; lower is better.",
        "mocha_w2 !",
        "! mocha_w2, seed 0: decoding hit the length cap",
        "- mocha_w2 is lower (better) than soft by 1.90",
        "- task.learning_rate: 0.004 (paper: 0.001)",
        "Reproduce: mocha-lightning run experiments/tiny.yaml",
    ):
        assert part in text


def test_that_several_tests_are_not_corrected_for_is_said_here_too(runs: Folder) -> None:
    runs.compare_twice()
    assert "2 comparisons are tested: p, Holm's is Student's corrected" in printed(runs, 200)


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e-5])
def test_no_word_or_number_is_broken_or_cut_off(runs: Folder, width: int, spread: float) -> None:
    long = "mocha_with_a_name_that_is_too_long"
    runs.experiment(
        variants={**EXPERIMENT["variants"], long: {}},
        comparisons=[["mocha_w2", "soft"], ["mocha_w2", long]],
    )
    for seed in range(3):
        runs.write(result("mocha_w2", seed, 97.5) | {"variant": long})
        runs.change("soft", seed, put("metrics.test/wer.value", 97.5 + seed * spread))
        runs.change("mocha_w2", seed, put("metrics.test/undecided.value", 1.0))
    words = set(printed(runs, width).split())
    report = build_report(read_runs(runs.path))
    for table in (variant_table(report), comparison_table(report)):
        for heading, cells in table.iloc[:, 1:].items():
            assert words.issuperset(" ".join([str(heading), *cells]).split())


def test_what_has_no_room_beside_the_scores_stands_below_them(runs: Folder) -> None:
    assert re.search("SD +mean, expected +undecided", printed(runs, width=80))
    text = printed(runs, width=60)
    assert re.search("SD +mean, expected *\n", text)
    assert re.search("undecided +end +cap +step", text)


def test_a_name_that_looks_like_markup_is_printed_as_it_is(runs: Folder) -> None:
    runs.experiment(variants={**EXPERIMENT["variants"], "[red]": {}})
    assert "[red]" in printed(runs, width=140)


def test_published_figures_are_printed_with_their_source(runs: Folder) -> None:
    runs.experiment(published=PUBLISHED)
    text = printed(runs, width=140)
    assert "Table 1 of somebody, on another corpus: figures of that publication, and of no" in text
    assert re.search(r"soft, theirs +14\.2 +0\.3", text)


@pytest.mark.parametrize("width", [80, 140])
def test_scores_of_parts_and_baselines_are_printed(runs: Folder, width: int) -> None:
    predict(runs)
    found = read_runs(runs.path)
    report = build_report(found, read_texts(runs.path, found))
    console = Console(width=width, record=True, quiet=False)
    with console.capture() as capture:
        print_report(report, console)
    words = set(capture.get().split())
    for table in (scores_table(report.texts), group_table(report.texts)):
        assert not table.empty
        for heading, cells in table.iloc[:, 1:].items():
            assert words.issuperset(" ".join([str(heading), *cells]).split())
