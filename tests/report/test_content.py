"""The numbers, sentences and cautions of a report."""

import json
import math

import pytest

from mocha_lightning.report.content import Report, build_report
from mocha_lightning.report.layout import variant_table
from mocha_lightning.report.reading import read_runs

from .conftest import EXPERIMENT, Folder, by_ctc, diverge, put


def build(runs: Folder) -> Report:
    return build_report(read_runs(runs.path))


def test_a_row_holds_the_papers_figures_and_what_they_hide(runs: Folder) -> None:
    soft, mocha = build(runs).variants
    assert (mocha.n, mocha.best, mocha.mean) == (3, 2.0, pytest.approx(2.2))
    assert mocha.sd == pytest.approx(0.2)
    assert (mocha.expected, mocha.undecided, mocha.length_cap) == (1.5, 0.125, 0.0)
    assert mocha.off_the_end == pytest.approx(0.2)
    assert (mocha.best_step, mocha.seconds) == (950, 101)
    assert mocha.more_parameters == pytest.approx(0.025)
    assert soft.expected is soft.undecided is soft.off_the_end is None
    assert not soft.marked


def test_a_figure_that_is_nan_in_every_run_is_none_and_in_some_is_nan(runs: Folder) -> None:
    runs.change_all("mocha_w2", put("metrics.test/undecided.value", None))
    runs.change("mocha_w2", 0, put("metrics.test/off_the_end.value", None))
    row = build(runs).variants[1]
    assert row.undecided is None
    assert row.off_the_end is not None
    assert math.isnan(row.off_the_end)
    assert not row.marked


def test_latencies_are_means_over_the_runs_that_have_them(runs: Folder) -> None:
    assert build(runs).variants[1].latency is None
    for seed, (median, most) in enumerate([(200, 300), (220, 330), (240, 390)]):
        runs.change("mocha_w2", seed, put("metrics.test/latency_median", scored(median)))
        runs.change("mocha_w2", seed, put("metrics.test/latency_p90", scored(most)))
        runs.change("mocha_w2", seed, put("metrics.test/shown_latency_median", scored(median + 9)))
        runs.change("mocha_w2", seed, put("metrics.test/shown_latency_p90", scored(most + 9)))
    soft, mocha = build(runs).variants
    assert (mocha.latency, mocha.latency_p90) == (220, 340)
    assert (mocha.shown, mocha.shown_p90) == (229, 349)
    assert soft.latency is None
    table = variant_table(build(runs))
    assert table["latency (90 %)"].tolist() == ["\N{EN DASH}", "220 (340)"]
    assert table["word shown (90 %)"].tolist() == ["\N{EN DASH}", "229 (349)"]


def scored(value: float) -> dict[str, object]:
    return {"value": value, "signature": "ms"}


def test_the_best_of_a_higher_is_better_metric_is_the_highest(runs: Folder) -> None:
    runs.judge_by("test/wer", "max")
    assert build(runs).variants[0].best == 4.4


def test_a_comparison_has_its_numbers_and_its_sentence(runs: Folder) -> None:
    (row,) = build(runs).comparisons
    assert (row.a, row.b) == ("mocha_w2", "soft")
    assert row.comparison is not None
    assert row.comparison.difference == pytest.approx(-2.0)
    assert row.verdict.startswith("mocha_w2 is lower (better) than soft by 2.00")


def test_a_run_whose_metric_is_nan_spoils_the_mean_visibly(runs: Folder) -> None:
    runs.change("mocha_w2", 1, put("metrics.test/wer.value", None))
    report = build(runs)
    row = report.variants[1]
    assert row.marked
    assert row.n == 3
    assert row.mean is not None
    assert math.isnan(row.mean)
    assert report.footnotes == ("mocha_w2, seed 1: some scores are not a number (test/wer)",)
    assert report.comparisons[0].comparison is None
    assert report.comparisons[0].verdict == (
        "mocha_w2 against soft: not compared: test/wer is not a number in mocha_w2 seed 1"
    )


def test_a_nan_loss_marks_a_run_whose_metric_survived(runs: Folder) -> None:
    runs.change("mocha_w2", 0, put("metrics.test/loss.value", None))
    report = build(runs)
    assert report.variants[1].marked
    assert report.comparisons[0].comparison is not None


def test_a_run_that_ended_early_says_at_which_step_and_why_and_nothing_else(runs: Folder) -> None:
    runs.change("mocha_w2", 1, diverge(12))
    report = build(runs)
    assert report.footnotes == (
        "mocha_w2, seed 1: ended early (the training loss was nan at step 12)",
    )
    assert not any("numbers of steps" in warning for warning in report.warnings)
    row = report.variants[1]
    assert row.marked
    for figure in (row.best, row.mean, row.sd, row.expected, row.undecided, row.length_cap):
        assert figure is not None
        assert math.isnan(figure)


def test_best_step_and_seconds_are_those_of_runs_that_came_to_their_end(runs: Folder) -> None:
    runs.change("mocha_w2", 1, diverge(12))
    row = build(runs).variants[1]
    assert (row.best_step, row.seconds) == (950, 101)
    runs.change_all("mocha_w2", diverge(12))
    row = build(runs).variants[1]
    assert row.undecided is not None
    for figure in (row.mean, row.best_step, row.seconds, row.undecided):
        assert math.isnan(figure or 0)


def test_a_reason_that_holds_for_several_runs_is_told_once_with_their_seeds(runs: Folder) -> None:
    runs.change("soft", 0, put("metrics.test/length_cap.value", 0.041))
    runs.change("soft", 2, put("metrics.test/length_cap.value", 0.05))
    runs.change("mocha_w2", 0, diverge(12))
    runs.change("mocha_w2", 1, put("metrics.test/length_cap.value", 0.05))
    runs.change("mocha_w2", 2, diverge(340))
    assert build(runs).footnotes == (
        "soft, seeds 0, 2; mocha_w2, seed 1: decoding hit the length cap on more than 3 % of the "
        "test set (4.1 %, 5.0 %; 5.0 %)",
        "mocha_w2, seeds 0, 2: ended early (the training loss was nan at step 12, "
        "the training loss was nan at step 340)",
    )


def test_what_is_the_same_in_every_such_run_is_told_once(runs: Folder) -> None:
    for seed in (1, 2):
        runs.change("soft", seed, put("metrics.test/loss.value", None))
    assert build(runs).footnotes == ("soft, seeds 1, 2: some scores are not a number (test/loss)",)


@pytest.mark.parametrize(("share", "marked"), [(0.03, False), (0.031, True)])
def test_more_than_three_percent_at_the_length_cap_is_marked(
    runs: Folder, share: float, marked: bool
) -> None:
    runs.change("soft", 2, put("metrics.test/length_cap.value", share))
    report = build(runs)
    assert report.variants[0].marked is marked
    assert len(report.footnotes) == int(marked)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("data.sha256", "different data sha256 (mocha_w2: elsewhere, soft: d47ad47ad47a)"),
        ("metrics.test/wer.signature", "different signature of test/wer (mocha_w2: elsewhere"),
    ],
)
def test_what_was_measured_differently_is_not_compared(
    runs: Folder, keys: str, reason: str
) -> None:
    runs.change_all("mocha_w2", put(keys, "elsewhere"))
    (row,) = build(runs).comparisons
    assert row.comparison is None
    assert row.verdict.startswith(f"mocha_w2 against soft: not compared: {reason}")


def decoded(runs: Folder, soft: str, mocha: str) -> None:
    """Let the two variants be decoded in ways of their own."""
    for variant, way in (("soft", soft), ("mocha_w2", mocha)):
        signature = f"wer|corpus|attention:{way}"
        runs.change_all(variant, put("metrics.test/wer.signature", signature))


def test_another_class_is_compared_though_it_decodes_in_its_own_way_which_is_said(
    runs: Folder,
) -> None:
    runs.change_all("soft", by_ctc)
    decoded(runs, "none|ctc|search:greedy", "hard|search:beam-8")
    report = build(runs)
    (row,) = report.comparisons
    assert row.comparison is not None
    assert row.verdict.endswith(
        "N = 3 and 3 (fewer than 5 runs a side: the test itself is unsure); decoded differently "
        "(mocha_w2 by attention:hard|search:beam-8, soft by attention:none|ctc|search:greedy)"
    )
    soft, mocha = report.variants
    assert soft.expected is soft.undecided is soft.off_the_end is soft.length_cap is None
    assert mocha.length_cap == 0
    decoded(runs, "hard|search:beam-8", "hard|search:beam-8")
    assert "decoded differently" not in build(runs).comparisons[0].verdict


def test_the_same_class_must_decode_in_the_same_way(runs: Folder) -> None:
    decoded(runs, "hard|search:greedy", "hard|search:beam-8")
    (row,) = build(runs).comparisons
    assert row.comparison is None
    assert "different signature of test/wer (mocha_w2: wer|corpus|attention:hard|" in row.verdict


def test_another_class_must_measure_the_same(runs: Folder) -> None:
    runs.change_all("soft", by_ctc)
    decoded(runs, "none|ctc|search:greedy", "hard|search:beam-8")
    cased = "wer|corpus|case:folded|attention:none|ctc|search:greedy"
    runs.change_all("soft", put("metrics.test/wer.signature", cased))
    assert build(runs).comparisons[0].comparison is None


def test_a_variant_without_runs_has_an_empty_row_and_no_comparison(runs: Folder) -> None:
    for seed in range(3):
        runs.remove("soft", seed)
    report = build(runs)
    assert (report.variants[0].n, report.variants[0].mean) == (0, None)
    assert report.variants[1].more_parameters is None
    assert report.comparisons[0].verdict == (
        "mocha_w2 against soft: not compared: no run of soft is finished"
    )
    assert len(report.missing) == 3


def test_few_runs_are_warned_of(runs: Folder) -> None:
    (warning,) = build(runs).warnings
    assert warning.startswith("Fewer than 5 runs: soft (N = 3), mocha_w2 (N = 3).")


@pytest.mark.parametrize(
    ("keys", "value", "warning"),
    [
        ("provenance.commit", "b" * 40, "commits: abcdef012345 (5 runs), bbbbbbbbbbbb (1 run)"),
        ("provenance.diff_sha256", "f" * 64, "abcdef012345 (5 runs), abcdef012345 (ffffffffffff)"),
        ("provenance.threads", 2, "thread counts: 1 (5 runs), 2 (1 run)"),
        ("provenance.hardware", "8 cores", "hardware: 2 cores (5 runs), 8 cores (1 run)"),
        ("provenance.versions", {"torch": "2.6"}, "versions of torch: 2.13.0 (5 runs), 2.6"),
        ("steps", 500, "numbers of steps: 1000 (5 runs), 500 (1 run)"),
        ("departures", [], "The runs of mocha_w2 do not all depart from the paper"),
    ],
)
def test_mixed_origins_are_warned_of(runs: Folder, keys: str, value: object, warning: str) -> None:
    runs.change("mocha_w2", 2, put(keys, value))
    assert any(warning in each for each in build(runs).warnings)


def test_a_module_of_ones_own_makes_no_other_code_of_a_variant(runs: Folder) -> None:
    """It is in no commit, but what the variants share is."""
    runs.change("mocha_w2", 2, put("provenance.dirty", True))
    assert not any("different commits" in each for each in build(runs).warnings)


def test_a_variant_that_is_described_otherwise_than_it_was_run_is_warned_of(runs: Folder) -> None:
    """Its runs were left alone when the file was changed."""
    runs.change("mocha_w2", 2, put("differences", {"task.attention.offset": -4}))
    assert build(runs).warnings[-1] == (
        "experiment.yaml describes mocha_w2 in other words now than when mocha_w2 seed 2 began: "
        "the table is of what was run then."
    )


def test_a_run_that_was_copied_to_another_seed_s_place_is_warned_of(runs: Folder) -> None:
    assert not any("config_hash" in warning for warning in build(runs).warnings)
    copied = json.loads(runs.file("soft", 0).read_text()) | {"seed": 1}
    runs.write(copied)
    assert any(
        warning.startswith("What result.json says of how soft seed 1 came about is not what its")
        for warning in build(runs).warnings
    )


def test_a_configuration_that_was_edited_in_all_results_is_warned_of(runs: Folder) -> None:
    for variant in ("soft", "mocha_w2"):
        for seed in range(3):
            content = json.loads(runs.file(variant, seed).read_text())
            content["config"]["trainer"] = {"max_steps": 9}
            runs.write(content)
    edited = "how soft seeds 0, 1, 2; mocha_w2 seeds 0, 1, 2 came about"
    assert any(edited in warning for warning in build(runs).warnings)


def test_runs_nobody_asked_for_are_warned_of(runs: Folder) -> None:
    runs.experiment(seeds=[0, 1])
    assert any(
        "experiment.yaml does not name them: mocha_w2 seed 2; soft seed 2" in warning
        for warning in build(runs).warnings
    )


def test_departures_carry_the_variants_they_hold_for(runs: Folder) -> None:
    runs.change_all("mocha_w2", lambda run: run["departures"].append(["task.gain", 2, 0.1]))
    common, only = build(runs).departures
    assert common == (("task.learning_rate", 0.004, 0.001), ("soft", "mocha_w2"))
    assert only == (("task.gain", 2, 0.1), ("mocha_w2",))


def test_p_values_are_corrected_for_the_number_of_comparisons(runs: Folder) -> None:
    (one,) = build(runs).comparisons
    assert one.comparison is not None
    assert one.holm_p == one.comparison.student_p
    runs.compare_twice()
    for row in build(runs).comparisons:
        assert row.holm_p == pytest.approx(2 * one.holm_p)


def test_a_difference_that_the_correction_takes_back_is_said_to_be_so(runs: Folder) -> None:
    for seed, wer in enumerate([3.2, 3.9, 3.4]):
        runs.change("mocha_w2", seed, put("metrics.test/wer.value", wer))
    runs.compare_twice()
    row = build(runs).comparisons[0]
    assert row.comparison is not None
    assert row.comparison.significant
    assert row.verdict.startswith("no significant difference between mocha_w2 and soft")
    assert "p = 0.085 after Holm's correction for 2 comparisons (p = 0.04" in row.verdict
    assert f"a difference of {row.holm_detectable:.2f} points would have been" in row.verdict
    assert row.holm_detectable > row.comparison.detectable


def test_a_comparison_that_is_the_only_one_with_a_test_is_not_corrected(runs: Folder) -> None:
    runs.experiment(
        variants={**EXPERIMENT["variants"], "none": {}},
        comparisons=[
            ["mocha_w2", "soft"],
            ["none", "soft"],
        ],
    )
    row, untested = build(runs).comparisons
    assert "Holm" not in row.verdict
    assert row.holm_detectable == row.comparison.detectable
    assert untested.holm_detectable is None
    runs.experiment(comparisons=[["mocha_w2", "soft"]])
    assert "Holm" not in build(runs).comparisons[0].verdict
