"""One page over all reports of a folder."""

from pathlib import Path

import pytest

from mocha_lightning.cli.dispatch import dispatch
from mocha_lightning.errors import UserError
from mocha_lightning.report import write_report
from mocha_lightning.report.overall import write_overall

from .conftest import EXPERIMENT, PUBLISHED, Folder, put
from .page.test_page import Page


def overall(folder: Path) -> Page:
    path, _ = write_overall(folder / "runs", folder / "reports", "Reproduce: this (commit a)")
    assert path == folder / "reports/index.html"
    return Page(folder / "reports")


def test_each_experiment_is_there_with_verdict_scores_and_a_report_of_now(
    runs: Folder, tmp_path: Path
) -> None:
    runs.experiment(published=PUBLISHED)
    other = Folder(tmp_path / "runs/other")
    for variant in EXPERIMENT["variants"]:
        other.change_all(variant, put("experiment", "other"))
    other.remove("soft", 2)
    old = tmp_path / "reports/tiny/index.html"
    old.parent.mkdir(parents=True)
    old.write_text("old")
    (tmp_path / "reports/speed").mkdir()
    (tmp_path / "reports/speed/table.md").touch()
    page = overall(tmp_path)
    links = [str(each["href"]) for each in page.all("a") if not str(each["href"]).startswith("#")]
    assert links == ["other/index.html", "tiny/index.html", "speed/table.md"]
    for link in links:
        assert (tmp_path / "reports" / link).exists()
    assert old.read_text() != "old"
    assert "INCOMPLETE: 1 of 6 runs are missing: soft seed 2." in page.said
    assert page.said.count("mocha_w2 is lower (better) than soft by 2.00") == 2
    assert "Table 1 of somebody, on another corpus: figures of that publication" in page.said


def test_a_variant_compared_with_itself_is_the_last(runs: Folder, tmp_path: Path) -> None:
    same = Folder(tmp_path / "runs/aa")
    for variant in EXPERIMENT["variants"]:
        same.change_all(variant, put("experiment", "aa"))
    for folder in (runs, same):
        write_report(folder.path, tmp_path / "reports")
    (tmp_path / "reports/aa/aa.md").touch()
    links = [str(each["href"]) for each in overall(tmp_path).all("a")]
    assert links.index("tiny/index.html") < links.index("aa/index.html")


def test_what_cannot_be_reported_on_is_told_and_keeps_nothing_else_from_it(
    runs: Folder, tmp_path: Path
) -> None:
    broken = Folder(tmp_path / "runs/broken")
    broken.file("soft", 0).write_text("{")
    page = overall(tmp_path)
    assert "1 experiment. Each" in page.said
    assert "Could not be read" in page.said
    assert str(broken.file("soft", 0)) in page.said


def test_an_experiment_that_cannot_be_looked_into_is_told(runs: Folder, tmp_path: Path) -> None:
    for name, target in (("round", "round"), ("away", "not-mounted")):
        (tmp_path / "runs" / name).symlink_to(target)
    _, unreadable = write_overall(tmp_path / "runs", tmp_path / "reports", "")
    assert len(unreadable) == 2
    assert unreadable[0].startswith(f"{tmp_path}/runs/away: no experiment was begun here")
    assert unreadable[1].startswith(f"{tmp_path}/runs/round/experiment.yaml: Too many levels of")


def test_the_command_says_so_and_does_not_end_well(
    runs: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["index", "--runs", str(runs.path.parent), "--reports", str(tmp_path / "reports")]
    assert dispatch(command) == 0
    index = (tmp_path / "reports/index.html").read_text()
    assert f"Reproduce: mocha-lightning {' '.join(command)} (commit " in index
    broken = Folder(tmp_path / "runs/broken")
    broken.file("soft", 0).write_text("{")
    assert dispatch(command) == 1
    assert capsys.readouterr().err.startswith(f"error: {broken.file('soft', 0)}: not complete JSON")


def test_without_an_experiment_there_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"runs: has no experiment, and .*/reports has no report"):
        write_overall(tmp_path / "runs", tmp_path / "reports", "")


def test_a_report_whose_runs_are_elsewhere_is_there_too(runs: Folder, tmp_path: Path) -> None:
    said = overall(tmp_path).said
    assert "mocha_w2 is lower (better) than soft by 2.00" in said
    runs.path.parent.rename(tmp_path / "elsewhere")
    assert overall(tmp_path).said == said


def test_a_report_that_cannot_be_read_is_told(runs: Folder, tmp_path: Path) -> None:
    write_report(runs.path, tmp_path / "reports")
    (tmp_path / "reports/tiny").rename(tmp_path / "reports/broken")
    (tmp_path / "reports/broken/results.json").write_text("{")
    path, unreadable = write_overall(tmp_path / "runs", tmp_path / "reports", "")
    assert [line.partition(": ")[0] for line in unreadable] == [
        str(tmp_path / "reports/broken/results.json")
    ]
    assert 'href="tiny/index.html"' in path.read_text()
    assert 'href="broken/index.html"' not in path.read_text()


def test_runs_that_two_experiments_share_are_no_two_findings(runs: Folder, tmp_path: Path) -> None:
    assert "Not independent" not in overall(tmp_path).said
    other = Folder(tmp_path / "runs/other")
    for variant in EXPERIMENT["variants"]:
        other.change_all(variant, put("experiment", "other"))
    said = overall(tmp_path).said
    assert said.count("Not independent of other experiments here:") == 2
    assert "soft, seeds 0, 1, 2: the same configuration, seeds and data as in tiny" in said


def test_it_ends_with_what_makes_it_again(runs: Folder, tmp_path: Path) -> None:
    assert overall(tmp_path).said.endswith("Reproduce: this (commit a)")
