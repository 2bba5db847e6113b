"""Runs that stand in several reports are one finding."""

from pathlib import Path

import pytest

from mocha_lightning.report.content import Report, build_report
from mocha_lightning.report.reading import read_runs
from mocha_lightning.report.shared import shared_runs

from .conftest import Folder, put


@pytest.fixture
def other(tmp_path: Path) -> Folder:
    """An experiment of another name with the same variants, seeds and data."""
    other = Folder(tmp_path / "runs/other")
    for variant in ("soft", "mocha_w2"):
        other.change_all(variant, put("experiment", "other"))
    return other


def said(*folders: Folder) -> dict[str, list[str]]:
    reports: list[Report] = [build_report(read_runs(folder.path)) for folder in folders]
    return shared_runs(reports)


def test_the_same_runs_of_two_experiments_are_told_of_both(runs: Folder, other: Folder) -> None:
    other.remove("soft", 1)
    found = said(runs, other)
    assert found["tiny"] == [
        "soft, seeds 0, 2: the same configuration, seeds and data as in other, and the same "
        "numbers: one finding, told again.",
        "mocha_w2, seeds 0, 1, 2: the same configuration, seeds and data as in other, and the same "
        "numbers: one finding, told again.",
    ]
    assert [line.replace("in tiny", "in other") for line in found["other"]] == found["tiny"]


def test_a_variant_may_have_another_name_there(runs: Folder, other: Folder) -> None:
    """And be in one experiment twice."""
    other.experiment(variants={"plain": {}}, comparisons=[])
    for seed in range(3):
        other.change("soft", seed, put("variant", "plain"))
    (other.path / "soft").rename(other.path / "plain")
    (line,) = said(runs, other)["tiny"]
    assert "soft, seeds 0, 1, 2: the same configuration, seeds and data as in other (plain)" in line


def test_the_same_run_with_other_numbers_is_no_replication_either(
    runs: Folder, other: Folder
) -> None:
    other.change("soft", 1, put("metrics.test/wer.value", 5.0))
    line, _ = said(runs, other)["tiny"]
    assert line == (
        "soft, seeds 0, 1, 2: the same configuration, seeds and data as in other, where other code "
        "or another machine came to other numbers: done again, and no independent replication."
    )


def test_other_data_other_seeds_or_another_configuration_are_other_runs(
    runs: Folder, other: Folder
) -> None:
    other.change_all("soft", put("data.sha256", "beef" * 16))
    other.change_all("mocha_w2", put("config.trainer.max_steps", 2000))
    other.change_all("soft", put("config.trainer.max_steps", 2000))
    assert said(runs, other) == {"tiny": [], "other": []}
    assert said(runs) == {"tiny": []}


def test_runs_without_a_number_are_alike(runs: Folder, other: Folder) -> None:
    for folder in (runs, other):
        folder.change("soft", 0, put("metrics.test/wer.value", None))
    line, _ = said(runs, other)["tiny"]
    assert "and the same numbers" in line
