"""The files of a sweep's report, its page and what is printed."""

import errno
import json
import os
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from mocha_lightning.cli.dispatch import dispatch
from mocha_lightning.errors import UserError
from mocha_lightning.report.overall import write_overall
from mocha_lightning.report.sweep import (
    is_sweep_report,
    layout,
    print_sweep_report,
    read_sweep_report,
    write_sweep_report,
)
from mocha_lightning.report.sweep.content import build_sweep_report
from mocha_lightning.report.sweep.reading import read_sweep

from ..conftest import Folder, put
from ..page.test_page import EVIL, Page
from .conftest import R, SweepFolder, W, many


def page_of(sweep: SweepFolder) -> Page:
    reports = sweep.path.parent.parent / "reports"
    write_sweep_report(sweep.path, reports)
    return Page(reports / sweep.path.name)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The page of a sweep with trials in every state; written once, since drawing takes seconds."""
    return page_of(many(tmp_path_factory.mktemp("full") / "runs" / "big"))


def test_all_files_are_there_and_the_page_leads_to_them(full: Page) -> None:
    ids = [attributes["id"] for _, attributes in full.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] or "" for attributes in full.all("a")]
    assert {"table.md", "trials.csv", "results.json", "figures/history.png"} <= set(links)
    for link in links:
        assert link[1:] in ids if link.startswith("#") else (full.folder / link).exists(), link


def test_it_loads_nothing(full: Page) -> None:
    assert not full.all("script")
    assert not full.all("link")
    for tag, attributes in full.elements:
        if tag != "a":
            for key in ("src", "href"):
                value = attributes.get(key) or "#"
                assert value.startswith(("#", "data:image/png;base64,")), (tag, value)


def test_whoever_hears_it_is_told_as_much(full: Page) -> None:
    assert full.all("html") == [{"lang": "en"}]
    assert len(full.all("table")) == len(full.all("caption"))
    assert all(each.get("scope") in ("col", "row") for each in full.all("th"))
    pictures = [each for each in full.all("div") if "picture" in (each.get("class") or "")]
    assert len(pictures) == len(full.all("figure")) == len(full.all("figcaption")) == 6
    assert all(each["role"] == "img" and each["aria-label"] for each in pictures)
    levels = [int(tag[1]) for tag, _ in full.elements if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(later <= level + 1 for level, later in pairwise(levels))


def test_its_pictures_have_the_page_s_ink(full: Page) -> None:
    assert "#0a0b" not in full.text
    assert full.text.count("var(--accent)") > 20
    assert "Hyperparameter" not in full.said


def test_an_unfinished_sweep_says_so_before_all_else(full: Page) -> None:
    assert full.said.startswith("INCOMPLETE: big")
    missing = "INCOMPLETE: 5 of 34 trials are missing"
    assert 0 < full.said.index(missing) < full.said.index("Verdict")


def test_a_number_can_be_traced(full: Page) -> None:
    for fact in (
        "mocha-lightning sweep sweeps/tiny-sweep.yaml",
        "abcdef0123456789abcdef0123456789abcdef01",
        "spoken-numbers, SHA-256 " + "d47a" * 16,
        "torch 2.13.0",
        "val/wer by jiwer 4.0.0",
        "optuna.samplers.TPESampler",
        "The corpus is not the paper's.",
    ):
        assert fact in full.said


def test_the_markdown_page_says_what_the_page_says(full: Page) -> None:
    text = (full.folder / "table.md").read_text().replace("`", "").replace("**", "")
    report_said = full.said.replace(" .", ".").replace(":", "")
    lines = [line.removeprefix("- ") for line in text.splitlines()]
    sentences = [line for line in lines if line and line[0] not in "#|!"]
    assert len(sentences) > 15
    for line in sentences:
        assert " ".join(line.replace(":", "").split()) in report_said


def test_the_csv_file_has_a_row_for_each_trial(full: Page) -> None:
    table = pd.read_csv(full.folder / "trials.csv")
    assert len(table) == 31
    assert table[["number", W, R, "val/wer", "seed 2"]].notna().all(axis=1).sum() == 24


def test_the_json_file_has_results_and_standing(full: Page) -> None:
    content = json.loads((full.folder / "results.json").read_text())
    assert content["schema"] == 1
    assert content["standing"]["near"]["trials"][0] == content["standing"]["best"]
    assert len(content["runs"]) == 24 * 3 + 3


def test_nobody_s_text_becomes_an_element(tmp_path: Path) -> None:
    path = f"task.{EVIL}"
    sweep = SweepFolder(tmp_path / "runs" / "evil", space={path: [EVIL, "$a$ & `b`"]}, seeds=[0])
    for number, value in enumerate([EVIL, "$a$ & `b`"]):
        sweep.trial(number, {path: value}, [2.0 + number])
    sweep.trial(2, {path: EVIL}, [], "failed", f"{EVIL} \x1b\u202e", intermediate=[])
    sweep.change(sweep.run_file(0, 0), put("provenance.command", EVIL))
    page = page_of(sweep)
    assert EVIL not in page.text
    assert page.said.count(EVIL) >= 5
    assert not {"\x1b", "\u202e"} & set(page.text)


def printed(sweep: SweepFolder, width: int) -> str:
    console = Console(width=width)
    with console.capture() as capture:
        print_sweep_report(build_sweep_report(read_sweep(sweep.path)), console)
    return capture.get()


def test_a_terminal_gets_the_verdict_and_the_best_trials(tmp_path: Path) -> None:
    sweep = many(tmp_path / "runs" / "big")
    text = " ".join(printed(sweep, 120).split())
    report = build_sweep_report(read_sweep(sweep.path))
    for line in (*layout.verdicts(report), layout.advice(report), layout.origin(report)):
        assert " ".join(line.split()) in text
    assert "21 more trials are in the files." in text
    *prose, command = printed(sweep, 60).splitlines()
    assert max(map(len, prose)) <= 60
    # It can be copied as it is.
    assert command == layout.origin(report)


def test_a_report_that_cannot_be_written_leaves_the_old_one(
    sweep: SweepFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = tmp_path / "reports"
    write_sweep_report(sweep.path, reports)
    before = {path: path.read_bytes() for path in reports.rglob("*") if path.is_file()}
    sweep.begin(6)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="cannot write the report: No space left on device"):
        write_sweep_report(sweep.path, reports)
    assert before == {path: path.read_bytes() for path in reports.rglob("*") if path.is_file()}


def test_the_command_knows_a_sweep_by_its_file(
    sweep: SweepFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = ["--runs", str(sweep.path.parent), "--reports", str(tmp_path / "reports")]
    for name in ("tiny-sweep", "sweeps/tiny-sweep.yaml", str(sweep.path)):
        assert dispatch(["report", name, *folders]) == 0
        assert "The best of 5 complete settings is" in capsys.readouterr().out
    assert (tmp_path / "reports/tiny-sweep/index.html").exists()
    sweep.trial_file(0).write_text("{")
    assert dispatch(["report", "tiny-sweep", *folders]) == 2
    assert capsys.readouterr().err.startswith(f"error: {sweep.trial_file(0)}: not complete JSON")


def test_the_page_over_all_reports_has_sweeps_beside_experiments(
    sweep: SweepFolder, tmp_path: Path
) -> None:
    runs, reports = tmp_path / "runs", tmp_path / "reports"
    write_overall(runs, reports, "")
    assert "0 experiments and 1 sweep." in Page(reports).said
    Folder(runs / "tiny")
    broken = many(runs / "broken", trials=2)
    broken.trial_file(0).write_text("{")
    _, unreadable = write_overall(runs, reports, "")
    page = Page(reports)
    links = [str(each["href"]) for each in page.all("a") if not str(each["href"]).startswith("#")]
    assert links == ["tiny/index.html", "tiny-sweep/index.html"]
    assert "1 experiment and 1 sweep." in page.said
    assert "The best of 5 complete settings is" in page.said
    assert len(unreadable) == 1
    assert str(broken.trial_file(0)) in page.said


def test_reporting_starts_without_torch_and_optuna() -> None:
    code = (
        "import sys, mocha_lightning.report.sweep, mocha_lightning.report.overall\n"
        "heavy = {'torch', 'lightning', 'pytorch_lightning', 'jsonargparse', 'optuna'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_drawing_a_sweep_imports_no_torch(sweep: SweepFolder, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from mocha_lightning.report.sweep import write_sweep_report\n"
        f"write_sweep_report(Path({str(sweep.path)!r}), Path({str(tmp_path / 'reports')!r}))\n"
        "heavy = {'torch', 'pytorch_lightning', 'jsonargparse'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == done.stderr == ""


def test_a_report_that_stands_is_read_again_as_it_was_written(full: Page) -> None:
    written = build_sweep_report(read_sweep(full.folder.parent.parent / "runs" / full.folder.name))
    assert is_sweep_report(full.folder)
    assert read_sweep_report(full.folder) == written


def test_the_index_has_a_sweep_whose_trials_lie_elsewhere(full: Page, tmp_path: Path) -> None:
    shutil.copytree(full.folder, tmp_path / "reports" / full.folder.name)
    page, unreadable = write_overall(tmp_path / "runs", tmp_path / "reports", "made by hand")
    assert not unreadable
    assert f'href="{full.folder.name}/index.html"' in page.read_text()


def test_a_sweep_s_report_that_is_spoilt_is_told_in_a_line(full: Page, tmp_path: Path) -> None:
    spoilt = tmp_path / "reports" / full.folder.name
    shutil.copytree(full.folder, spoilt)
    (spoilt / "results.json").write_text('{"schema": 1}')
    with pytest.raises(UserError, match=r"results.json: key definition: .*make it anew"):
        read_sweep_report(spoilt)


def test_so_is_one_that_a_later_version_has_written(full: Page, tmp_path: Path) -> None:
    later = tmp_path / "reports" / full.folder.name
    shutil.copytree(full.folder, later)
    path = later / "results.json"
    for content in ({**json.loads(path.read_text()), "schema": 99}, {"schema": 99}):
        path.write_text(json.dumps(content))
        with pytest.raises(UserError, match="its schema 99 is newer than"):
            read_sweep_report(later)
