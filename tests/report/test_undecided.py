"""The report's figure of scores against the undecided share."""

from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.pictures import undecided as picture
from mocha_lightning.pictures.undecided import Scored
from mocha_lightning.report import write_report

from .conftest import WERS, Folder, diverge, put


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    return tmp_path / "reports"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is asked to be drawn."""
    seen: list[dict[str, Any]] = []
    draw = picture.draw_undecided

    def watch(runs: list[Scored], score: str, **others: Any) -> Any:
        seen.append({"runs": runs, "score": score, **others})
        return draw(runs, score, **others)

    monkeypatch.setattr(picture, "draw_undecided", watch)
    return seen


def give_a_head(runs: Folder) -> None:
    """Make the soft variant one with a monotonic head."""
    runs.change_all(
        "soft",
        lambda content: content["metrics"].update(
            {
                "test/undecided": {"value": 0.5, "signature": "u"},
                "test/wer_expected": {"value": 1.0, "signature": "e"},
            }
        ),
    )


def test_a_point_is_drawn_for_each_run_with_a_monotonic_head(
    runs: Folder, reports: Path, asked: list[dict[str, Any]]
) -> None:
    give_a_head(runs)
    write_report(runs.path, reports)
    (drawn,) = asked
    assert drawn["runs"] == [
        *(Scored("soft", 0.5, wer, 1.0) for wer in WERS["soft"]),
        *(Scored("mocha_w2", 0.125, wer, 1.5) for wer in WERS["mocha_w2"]),
    ]
    assert (drawn["score"], drawn["errors"], drawn["left_out"]) == ("test/wer (%)", True, "")
    folder = reports / "tiny"
    assert (folder / "figures" / "undecided.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "figures" / "undecided.pdf").read_bytes().startswith(b"%PDF")
    assert "](figures/undecided.png)" in (folder / "table.md").read_text()


def test_a_single_variant_with_a_head_has_nothing_to_be_set_against(
    runs: Folder, reports: Path
) -> None:
    write_report(runs.path, reports)
    assert not list(reports.rglob("undecided.*"))
    assert "Undecided scans" not in (reports / "tiny" / "table.md").read_text()


def test_a_run_that_diverged_is_named_and_not_drawn(
    runs: Folder, reports: Path, asked: list[dict[str, Any]]
) -> None:
    give_a_head(runs)
    runs.change("mocha_w2", 1, diverge(40))
    write_report(runs.path, reports)
    (drawn,) = asked
    assert len(drawn["runs"]) == 5
    assert drawn["left_out"] == "mocha_w2 seed 1"


def test_a_variant_without_numbers_is_none_to_set_against(runs: Folder, reports: Path) -> None:
    give_a_head(runs)
    runs.change_all("soft", put("metrics.test/undecided.value", None))
    write_report(runs.path, reports)
    assert not list(reports.rglob("undecided.*"))


def test_where_higher_is_better_scores_are_drawn_as_they_are(
    runs: Folder, reports: Path, asked: list[dict[str, Any]]
) -> None:
    give_a_head(runs)
    for variant in WERS:
        runs.change_all(
            variant,
            lambda content: content["metrics"].update(
                {
                    "test/rouge2": {"value": 9.0, "signature": "r"},
                    "test/rouge2_expected": {"value": 11.0, "signature": "r"},
                }
            ),
        )
    runs.judge_by("test/rouge2", "max")
    write_report(runs.path, reports)
    (drawn,) = asked
    assert (drawn["score"], drawn["errors"]) == ("test/rouge2 (%)", False)
    assert drawn["runs"][0] == Scored("soft", 0.5, 9.0, 11.0)
