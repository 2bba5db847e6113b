"""The files of a report."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.report import write_report

from .conftest import EXPERIMENT, Folder, put


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    return tmp_path / "reports"


def test_the_files_lie_in_the_experiments_folder(runs: Folder, reports: Path) -> None:
    report = write_report(runs.path, reports)
    assert report.experiment == "tiny"
    assert sorted(path.name for path in (reports / "tiny").iterdir()) == [
        "comparisons.csv",
        "index.html",
        "results.json",
        "runs.csv",
        "table.csv",
        "table.md",
        "table.tex",
    ]


def test_csv_keeps_every_digit(runs: Folder, reports: Path) -> None:
    report = write_report(runs.path, reports)
    table = pd.read_csv(reports / "tiny" / "table.csv")
    assert list(table["variant"]) == ["soft", "mocha_w2"]
    assert list(table["mean"]) == [row.mean for row in report.variants]
    assert table["undecided"].isna().tolist() == [True, False]

    each = pd.read_csv(reports / "tiny" / "runs.csv")
    assert list(each["test/wer"]) == [4.0, 4.4, 4.2, 2.0, 2.2, 2.4]
    assert list(each["seed"]) == [0, 1, 2, 0, 1, 2]

    (compared,) = pd.read_csv(reports / "tiny" / "comparisons.csv").to_dict("records")
    expected = report.comparisons[0].comparison
    assert expected is not None
    assert compared["student_p"] == expected.student_p
    assert (compared["interval_low"], compared["interval_high"]) == expected.interval


def test_whole_numbers_stay_whole_where_a_row_has_none(runs: Folder, reports: Path) -> None:
    runs.experiment(
        variants={"empty": {}, **EXPERIMENT["variants"]},
        comparisons=[["empty", "soft"], ["mocha_w2", "soft"]],
    )
    write_report(runs.path, reports)
    columns, refused, compared = (reports / "tiny" / "comparisons.csv").read_text().splitlines()
    assert columns.startswith("a,b,n_a,n_b,mean_a,")
    assert refused.startswith("empty,soft,,,,")
    assert compared.startswith("mocha_w2,soft,3,3,")
    empty, soft, _ = (reports / "tiny" / "table.csv").read_text().splitlines()[1:]
    assert empty.startswith("empty,False,0,,")
    assert ",1000," in soft


def test_json_holds_everything_and_no_nan(runs: Folder, reports: Path) -> None:
    runs.change("soft", 1, put("metrics.test/wer.value", None))

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    write_report(runs.path, reports)
    content = json.loads((reports / "tiny" / "results.json").read_text(), parse_constant=refuse)
    assert content["schema"] == 1
    assert content["variants"][0]["mean"] is None
    assert content["runs"][1]["metrics"]["test/wer"]["value"] is None
    original = json.loads(runs.file("mocha_w2", 2).read_text())
    # Which results of earlier versions lack.
    original["provenance"] |= {"diff_sha256": None, "files": {}}
    assert content["runs"][5] == original


def test_nan_and_absent_look_different_in_csv(runs: Folder, reports: Path) -> None:
    runs.change("soft", 1, put("metrics.test/wer.value", None))
    write_report(runs.path, reports)
    soft = (reports / "tiny" / "table.csv").read_text().splitlines()[1]
    assert soft.startswith("soft,True,3,NaN,NaN,NaN,NaN,NaN,,,,0.0,")


def test_the_same_runs_give_the_same_bytes(runs: Folder, reports: Path) -> None:
    write_report(runs.path, reports)
    before = {path: path.read_bytes() for path in (reports / "tiny").iterdir()}
    write_report(runs.path, reports)
    assert {path: path.read_bytes() for path in (reports / "tiny").iterdir()} == before


def test_runs_that_cannot_be_trusted_leave_the_last_report_alone(
    runs: Folder, reports: Path
) -> None:
    write_report(runs.path, reports)
    before = (reports / "tiny" / "table.md").read_text()
    runs.file("soft", 0).write_text("{")
    with pytest.raises(UserError):
        write_report(runs.path, reports)
    assert (reports / "tiny" / "table.md").read_text() == before


def test_a_place_that_cannot_be_written_is_named(runs: Folder, reports: Path) -> None:
    reports.write_text("a file where the folder should be")
    with pytest.raises(UserError, match=r"reports/tiny: cannot write the report"):
        write_report(runs.path, reports)


def everything(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_report_that_fails_half_way_leaves_the_last_one_whole(
    runs: Folder, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(runs.path, reports)
    before = everything(reports)
    runs.change("soft", 0, put("metrics.test/wer.value", 50.0))
    written = iter(range(5))
    synchronise = os.fsync

    def full(file: int) -> None:
        if next(written, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        synchronise(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(UserError, match="cannot write the report: No space left on device"):
            write_report(runs.path, reports)
    assert everything(reports) == before
    (reports / "tiny/table.tex").unlink()
    (reports / "tiny/table.tex").mkdir()
    before.pop("tiny/table.tex")
    with pytest.raises(UserError, match="cannot write the report: Is a directory"):
        write_report(runs.path, reports)
    assert everything(reports) == before


def test_a_report_starts_without_torch() -> None:
    code = (
        "import sys, mocha_lightning.report\n"
        "heavy = {'torch', 'lightning', 'pytorch_lightning', 'jsonargparse'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
