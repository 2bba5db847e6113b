"""The reordering figure of a report and its numbers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mocha_lightning.pictures.reordering import Curve, Documents
from mocha_lightning.report import reordering, write_report
from mocha_lightning.report.reading import read_result
from mocha_lightning.report.reordering import legend_order
from mocha_lightning.report.results import Result

from .conftest import Folder, put
from .predicting import as_speech, predict


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    return tmp_path / "reports"


def by(runs: Folder, name: str, **arguments: Any) -> Result:
    """A run of a variant called after its mechanism."""
    attention = {"class_path": f"mocha_lightning.attention.{name}", "init_args": arguments}
    runs.change("soft", 0, put("config.task.init_args.attention", attention))
    runs.change("soft", 0, put("variant", f"{name}{arguments.get('chunk_size', '')}"))
    return read_result(runs.file("soft", 0))


def test_the_numbers_have_every_seed(runs: Folder, reports: Path) -> None:
    predict(runs)
    write_report(runs.path, reports)
    table = pd.read_csv(reports / "tiny" / "reordering.csv")
    seeds = ["seed 0", "seed 1", "seed 2"]
    assert list(table) == ["variant", "order", "distance", "documents", "mean", "sd", *seeds]
    rows = table.set_index(["variant", "order"])
    assert rows.loc[("mocha_w2", "normal")]["distance"].tolist() == [0, 1]
    assert rows.loc[("mocha_w2", "normal")][seeds].values.tolist() == [[100] * 3, [0, 50, 0]]
    (turned,) = rows.loc[[("soft", "reversed")]].to_dict("records")
    assert (turned["documents"], turned["mean"]) == (1, pytest.approx(200 / 3))
    assert pd.isna(turned["distance"])


def test_the_figure_is_drawn_of_them_and_shown(
    runs: Folder, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mocha_lightning.pictures import reordering as picture

    seen: list[tuple[list[Curve], Documents]] = []
    draw = picture.draw_reordering

    def watch(curves: list[Curve], documents: Documents) -> Any:
        seen.append((curves, documents))
        return draw(curves, documents)

    monkeypatch.setattr(picture, "draw_reordering", watch)
    predict(runs)
    chunk = {"class_path": "mocha_lightning.attention.MoChA", "init_args": {"chunk_size": 2}}
    runs.change_all("mocha_w2", put("config.task.init_args.attention", chunk))
    write_report(runs.path, reports)
    ((soft, mocha), documents), *_ = seen
    assert (soft.name, soft.window) == ("soft", None)
    assert (mocha.name, mocha.window) == ("MoChA, w = 2", 2)
    assert mocha.normal == {0: (100, 100, 100), 1: (0, 50, 0)}
    assert soft.reversed == (100, 100, 0)
    assert (documents.normal, documents.reversed) == ({0: 1, 1: 2}, 1)
    folder = reports / "tiny"
    assert (folder / "figures" / "reordering.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "figures" / "reordering.pdf").read_bytes().startswith(b"%PDF")
    page = (folder / "table.md").read_text()
    assert "](figures/reordering.png)" in page
    assert "bands reach from the worst run to the best" in page


@pytest.mark.parametrize("change", [as_speech, lambda record: record.update(distance=0)])
def test_without_several_distances_there_is_none(runs: Folder, reports: Path, change: Any) -> None:
    predict(runs, change)
    write_report(runs.path, reports)
    names = {path.name for path in (reports / "tiny").rglob("*")}
    assert not {"reordering.csv", "reordering.png", "reordering.pdf"} & names
    assert "Reordering" not in (reports / "tiny" / "table.md").read_text()


def test_the_legend_goes_from_the_largest_window_to_the_smallest(runs: Folder) -> None:
    found = [
        by(runs, "SoftAttention"),
        by(runs, "MonotonicAttention"),
        *(by(runs, "MoChA", chunk_size=size) for size in (1, 8, 2)),
        by(runs, "MAtChA"),
    ]
    assert [run.variant for run in legend_order(found)] == [
        *("SoftAttention", "MoChA8", "MoChA2", "MoChA1", "MonotonicAttention", "MAtChA"),
    ]
    nothing = [found[0], found[-1]]
    assert legend_order(nothing) == nothing


def test_two_of_one_window_keep_the_experiments_names(runs: Folder, reports: Path) -> None:
    predict(runs)
    chunk = {"class_path": "mocha_lightning.attention.MoChA", "init_args": {"chunk_size": 2}}
    for variant in ("soft", "mocha_w2"):
        runs.change_all(variant, put("config.task.init_args.attention", chunk))
    report = write_report(runs.path, reports)
    assert [curve.name for curve in reordering._curves(report)] == ["soft", "mocha_w2"]


def test_a_variant_called_after_its_class_is_written_as_the_class(runs: Folder) -> None:
    matcha = by(runs, "MAtChA")
    for variant, written in (("matcha", "MAtChA"), ("my_matcha", "my matcha")):
        assert reordering._name(replace(matcha, variant=variant)) == written


def test_the_page_says_how_the_figure_is_to_be_read(runs: Folder, reports: Path) -> None:
    predict(runs)
    write_report(runs.path, reports)
    page = (reports / "tiny" / "table.md").read_text()
    assert "logarithmic" not in page
    for said in (
        "octaves of d + 1",
        "wider lines lie below narrower ones",
        "beyond the furthest distance has no such mark",
        "heights alone mean something",
    ):
        assert said in page
