"""What the report of a sweep says."""

from pathlib import Path
from statistics import fmean

from mocha_lightning.report.formats import ABSENT
from mocha_lightning.report.sweep import layout
from mocha_lightning.report.sweep.content import SweepReport, build_sweep_report
from mocha_lightning.report.sweep.reading import read_sweep

from ..conftest import put
from .conftest import SCORES, R, SweepFolder, W, many


def report_of(sweep: SweepFolder) -> SweepReport:
    return build_sweep_report(read_sweep(sweep.path))


def said(sweep: SweepFolder) -> str:
    report = report_of(sweep)
    return "\n".join([*layout.verdicts(report), layout.advice(report)])


def test_the_verdict_is_the_best_setting_with_its_uncertainty(sweep: SweepFolder) -> None:
    assert layout.verdicts(report_of(sweep))[0] == (
        "The best of 5 complete settings is chunk_size = 4, offset = -2.5 (trial 0): val/wer "
        "2.30 % on average over 3 runs (seeds 0, 1, 2; SD 0.10; 95 % interval 2.05 to 2.55, "
        "Student's t over the runs)."
    )


def test_settings_as_good_as_the_best_are_counted_and_their_values_named(
    sweep: SweepFolder,
) -> None:
    text = said(sweep)
    assert (
        "2 of 5 complete settings were within one standard error of the best, which is one of "
        "them. The error is that of a mean over 3 seeds, 0.08: the standard deviation within "
        "settings, pooled over all complete ones (0.14), by the root of 3."
    ) in text
    assert (
        "Of chunk_size: 4 and 8 had a setting within one standard error, 1, 2 and 6 had none; "
        "3 never came to be complete."
    ) in text
    assert "all of w = 2, 3, 4, 6 and 8 did about equally well" in text
    assert "Beware" not in text


def test_a_deviation_of_few_settings_is_a_caution(sweep: SweepFolder) -> None:
    sweep.trial(1, {W: 1, R: 0.5}, [20.0, 90.0, 50.0])
    assert "in the pooled one's place, 2 of 5 would be within." in said(sweep)


def test_with_one_run_it_says_that_one_seed_lies_and_why_nothing_is_counted(
    tmp_path: Path,
) -> None:
    text = said(many(tmp_path / "runs" / "one", seeds=[4]))
    assert "of one run (seed 4). One seed lies, and the best of 24 is also the luckiest" in text
    assert "How many settings are as good as the best cannot be said: with one run each" in text
    assert "within one standard error" not in text
    assert "winner's curse" in text


def test_it_always_says_that_the_best_looks_better_than_it_is(sweep: SweepFolder) -> None:
    command = f"`mocha-lightning run {sweep.path / 'best.yaml'}`"
    assert "winner's curse" in said(sweep)
    assert said(sweep).endswith(
        f"{command} (a file that the sweep's own command writes when all of its trials are over)."
    )
    (sweep.path / "best.yaml").touch()
    assert said(sweep).endswith(f"{command}.")


def test_one_setting_alone_is_told_from_none(tmp_path: Path) -> None:
    sweep = SweepFolder(tmp_path / "runs" / "alone")
    sweep.trial(0, {W: 1, R: 0.0}, [3.0, 3.1, 3.2])
    assert "One setting alone is complete: there is none to tell it from." in said(sweep)


def test_without_a_complete_setting_there_is_no_best_one(tmp_path: Path) -> None:
    sweep = SweepFolder(tmp_path / "runs" / "none")
    sweep.trial(0, {W: 1, R: 0.0}, [], "failed", "the disk is full", intermediate=[])
    report = report_of(sweep)
    assert layout.verdicts(report) == ["No setting is complete yet: there is no best one."]
    assert "no command, commit or data" in layout.origin(report)


def test_what_is_missing_is_said_with_what_is_done_about_it(tmp_path: Path) -> None:
    report = report_of(many(tmp_path / "runs" / "big"))
    assert layout.incomplete(report) == (
        "INCOMPLETE: 5 of 34 trials are missing, 1 of them begun; 1 failed, and the same command "
        "tries what failed again."
    )
    assert layout.counted(report) == (
        "Trials: 24 complete, 4 pruned, 1 diverged, 1 failed, 1 at work; 34 planned."
    )


def test_a_whole_sweep_misses_nothing(sweep: SweepFolder) -> None:
    assert layout.incomplete(report_of(sweep)) is None


def test_the_table_has_every_trial_the_best_first(sweep: SweepFolder) -> None:
    sweep.trial(6, {W: 3, R: 1.0}, [3.0, None], "diverged", "the training loss was nan at step 40")
    sweep.begin(7)
    table = layout.trial_table(report_of(sweep))
    assert [*table["trial"]] == ["0", "4", "2", "3", "1", "5", "6", "7"]
    assert [*table["state"]][5:] == ["pruned", "diverged", "at work"]
    assert [*table.iloc[0]] == [
        *("0", "complete", "4", "-2.5", "2.30 (0.10)", "2.20", "2.40", "2.30", "2,700", ABSENT),
    ]
    assert [*table.iloc[5]][4:] == [ABSENT, ABSENT, ABSENT, ABSENT, "300", "at step 300 of seed 0"]
    assert [*table.iloc[6]][4:8] == [ABSENT, "3.00", "NaN", ABSENT]
    assert [*table.iloc[7]][2:] == [ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, "0", ABSENT]


def test_without_a_reason_there_is_no_column_of_reasons(tmp_path: Path) -> None:
    sweep = SweepFolder(tmp_path / "runs" / "whole")
    for number, (w, r, scores) in SCORES.items():
        sweep.trial(number, {W: w, R: r}, [*scores])
    report = report_of(sweep)
    assert "reason" not in layout.trial_table(report)
    assert "reason" not in layout.meanings(report)


def test_records_have_every_digit_and_whole_paths(sweep: SweepFolder) -> None:
    record = next(layout.trial_records(report_of(sweep)))
    assert record["number"] == 0
    assert (record[W], record[R]) == (4, -2.5)
    assert record["val/wer"] == fmean(SCORES[0][2])
    assert record["seed 1"] == 2.4


def test_runs_of_different_data_or_code_are_a_warning(sweep: SweepFolder) -> None:
    assert report_of(sweep).warnings == ()
    sweep.change(sweep.run_file(0, 1), put("data.sha256", "beef" * 16))
    sweep.change(sweep.run_file(0, 2), put("provenance.commit", "1" * 40))
    text = " ".join(report_of(sweep).warnings)
    assert "The runs are of different data (d47ad47ad47a, beefbeefbeef)" in text
    assert "different commits" in text
