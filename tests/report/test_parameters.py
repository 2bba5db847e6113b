"""The page and the table of parameters."""

from pathlib import Path

import pandas as pd
import pytest

from mocha_lightning.cli import main
from mocha_lightning.experiment.sizes import Sizes
from mocha_lightning.report.parameters import parameters_page, write_parameters

SIZES = Sizes(
    "tiny",
    parts={
        "soft": {"encoder": 1000, "attention": 1000},
        "monotonic": {"encoder": 1000, "attention": 1002},
        "mocha": {"encoder": 1000, "attention": 2005},
        "ctc": {"encoder": 1000, "ctc": 8, "nothing": 0},
    },
    totals={"soft": 2000, "monotonic": 2002, "mocha": 3005, "ctc": 1008},
    baselines={"soft": "soft", "monotonic": "monotonic"},
)

ORIGIN = "Reproduce: this (commit a)"


def test_the_page_has_a_row_for_each_part_the_total_and_each_baseline() -> None:
    lines = parameters_page([SIZES], ORIGIN).splitlines()
    rows = {
        cells[0]: cells[1:]
        for cells in ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
        if cells
    }
    assert "## tiny" in lines
    assert rows["part"] == ["soft", "monotonic", "mocha", "ctc"]
    assert rows["attention"] == ["1,000", "1,002", "2,005", ""]
    assert rows["ctc"] == ["", "", "", "8"]
    assert "nothing" not in rows
    assert rows["total"] == ["2,000", "2,002", "3,005", "1,008"]
    assert rows["beside soft"] == ["+0.00 %", "+0.10 %", "+50.25 %", "-49.60 %"]
    assert rows["beside monotonic"] == ["-0.10 %", "+0.00 %", "+50.10 %", "-49.65 %"]
    assert '"about 1 %"' in lines[-3]
    assert lines[-1] == ORIGIN


def test_the_table_has_every_digit(tmp_path: Path) -> None:
    folder = write_parameters([SIZES], "the page", tmp_path)
    table = pd.read_csv(folder / "table.csv").set_index(["experiment", "variant", "part"])
    assert table.loc[("tiny", "mocha", "attention"), "parameters"] == 2005
    total = table.loc[("tiny", "mocha", "total")]
    assert total["parameters"] == 3005
    assert total["beside_soft"] == pytest.approx(1005 / 2000, abs=1e-15)
    assert total["beside_monotonic"] == pytest.approx(1003 / 2002, abs=1e-15)
    assert (folder / "table.md").read_text() == "the page"


def test_the_command_says_what_it_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path(__file__).parents[2] / "experiments" / "wsj.yaml"
    with pytest.raises(SystemExit) as ended:
        main(["parameters", str(file), "--reports", str(tmp_path)])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    page = tmp_path / "parameters" / "table.md"
    assert said == f"{page.read_text()}\nReport: {page}\n"
    assert "+2.28 %" in said
    origin = page.read_text().splitlines()[-1]
    assert origin.startswith(f"Reproduce: mocha-lightning parameters {file} --reports {tmp_path} (")


def test_a_wrong_file_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["parameters", str(tmp_path / "none.yaml"), "--reports", str(tmp_path / "reports")])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "reports").exists()
