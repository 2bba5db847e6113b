"""The files of a measurement."""

import json
import re
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from mocha_lightning.speed.page import markdown
from mocha_lightning.speed.watch import ConsoleWatch
from mocha_lightning.speed.write import write_report

from .report_example import LENGTHS, report, timed

FILES = ["figure.png", "figure.svg", "results.json", "speed.csv", "table.md"]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_has_a_table_for_each_variant() -> None:
    page = markdown(report())
    titles = [line for line in page.splitlines() if line.startswith("## ")]
    assert titles == [
        "## Keys recomputed at every output",
        "## Keys projected once a sequence",
        "## Words",
    ]
    row = next(line for line in page.splitlines() if cells(line)[0] == "400")
    assert cells(row)[1:] == ["160 ± 23", "4.00 ± 0.57 (40.0x)", "399 of 400", "799 of 800"]
    row = next(line for line in page.splitlines() if cells(line)[0] == "10")
    assert cells(row)[1:3] == ["0.100 ± 0.014", "0.100 ± 0.014 (1.00x)"]


def test_the_page_says_over_which_lengths_exponents_are_fitted() -> None:
    lines = markdown(report()).splitlines()
    head = next(at for at, line in enumerate(lines) if cells(line)[0] == "exponent")
    assert cells(lines[head]) == ["exponent", "T = 10, 20, 50, 100", "T = 100, 200, 400"]
    assert cells(lines[head + 2]) == ["soft", "2.00 ± 0.00", "2.00 ± 0.00"]
    assert cells(lines[head + 3]) == ["monotonic", "1.00 ± 0.00", "1.00 ± 0.00"]


def test_the_page_says_how_it_was_made() -> None:
    page = markdown(report())
    assert "on 1 thread of a processor: 2 trials" in page
    assert "dim(h) = 256, dim(s) = 256, d = 256" in page
    assert page.rstrip().endswith(
        "Reproduce: mocha-lightning speed --trials 2 (commit abcdef012345; seed 0; "
        "python 3.11.7, numba 0.68.1; libopenblas 0.3.30 Zen)"
    )


def test_times_that_scatter_are_warned_of() -> None:
    assert "Warning" not in markdown(report(spread=0.1))
    assert "standard deviation of 24 of the times" in markdown(report(spread=0.9))


def test_the_files_are_complete_and_hold_every_trial(tmp_path: Path) -> None:
    written = report()
    write_report(written, tmp_path / "reports" / "speed")
    folder = tmp_path / "reports" / "speed"
    assert sorted(path.name for path in folder.iterdir()) == FILES
    times = pd.read_csv(folder / "speed.csv")
    assert len(times) == 2 * len(LENGTHS) * 2 * 2
    one = times[(times.variant == "projected") & (times.length == 20) & (times.trial == 1)]
    assert list(one.mechanism) == ["soft", "monotonic"]
    assert list(one.milliseconds) == [
        trials[1] for trials in timed("projected", 20).milliseconds.values()
    ]
    results = json.loads((folder / "results.json").read_text())
    assert results["schema"] == 1
    assert results["provenance"]["threads"] == 1
    assert results["settings"]["seed"] == 0
    assert results["variants"][1]["rows"][0]["points"][1]["mechanism"] == "monotonic"
    assert len(results["trials"]) == 2 * len(LENGTHS)


def test_the_figure_has_a_panel_for_each_variant_and_names_each_curve(tmp_path: Path) -> None:
    write_report(report(), tmp_path)
    text = re.findall(r">([^<>]+)</text>", (tmp_path / "figure.svg").read_text())
    assert {"Keys recomputed at every output", "Keys projected once a sequence"} <= set(text)
    assert {"soft", "monotonic", "10", "milliseconds for all outputs"} <= set(text)
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_an_interrupted_report_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(report(), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_bytes, written = Path.write_bytes, []

    def interrupted(path: Path, content: bytes) -> int:
        written.append(path)
        if len(written) == 3:
            raise KeyboardInterrupt
        return write_bytes(path, content)

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_report(report(spread=0.2), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_a_line_for_each_length_and_a_bar_on_a_terminal(terminal: bool) -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=terminal, width=200)
    with ConsoleWatch(report().settings, console) as watch:
        for length in (*LENGTHS, *LENGTHS):
            watch.trial_done(length)
        watch.progress.refresh()
        watch.length_done(timed("projected", 20))
    said = screen.getvalue()
    line = "keys projected, T = U = 20: soft 0.400 ± 0.057, monotonic 0.200 ± 0.028 (2.00x) ms"
    assert line in said
    # Both trials of one variant: half of the work.
    assert ("50%" in said) == terminal
