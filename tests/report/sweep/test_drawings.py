"""Which pictures a sweep has, and why it lacks others."""

from pathlib import Path
from typing import Any

import matplotlib
import optuna
import pytest

from mocha_lightning.report.sweep.content import build_sweep_report
from mocha_lightning.report.sweep.drawings import Drawings, draw_sweep
from mocha_lightning.report.sweep.reading import read_sweep
from mocha_lightning.report.sweep.study import rebuilt

from .conftest import SWEEP, R, SweepFolder, W, many

pytestmark = pytest.mark.filterwarnings("error::UserWarning")
PNG = b"\x89PNG"


def drawings(sweep: SweepFolder) -> Drawings:
    return draw_sweep(build_sweep_report(read_sweep(sweep.path)))


def made(path: Path, settings: list[dict[str, Any]], scores: list[list[float]], **changes: Any):
    sweep = SweepFolder(path, **{"seeds": [0, 1], **changes})
    for number, (values, each) in enumerate(zip(settings, scores, strict=True)):
        sweep.trial(number, values, [*each])
    return sweep


def test_optuna_s_study_is_what_the_files_say(tmp_path: Path) -> None:
    study = rebuilt(build_sweep_report(read_sweep(many(tmp_path / "runs" / "big").path)))
    states = [trial.state.name for trial in study.trials]
    assert (states.count("COMPLETE"), states.count("PRUNED"), states.count("FAIL")) == (24, 5, 1)
    report = build_sweep_report(read_sweep(tmp_path / "runs" / "big"))
    assert report.standing is not None
    assert study.best_value == report.standing.summary.mean
    assert study.best_trial.number == report.standing.best
    assert set(study.best_params) == {"chunk_size", "offset"}


def test_every_kind_is_drawn_and_leaves_no_trace(sweep: SweepFolder) -> None:
    before, verbosity = dict(matplotlib.rcParams), optuna.logging.get_verbosity()
    found = drawings(sweep)
    assert [each.heading for each in found.shown] == [
        "History",
        "Slices",
        "Importance",
        "Contour of chunk_size and offset",
        "Parallel coordinates",
        "Intermediate values",
    ]
    assert found.left_out == {}
    assert all(content.startswith(PNG) for content in found.files.values())
    assert [f"figures/{name}" for name in found.files] == [d.numbers[0] for d in found.shown]
    changed = {key for key, value in before.items() if matplotlib.rcParams[key] != value}
    assert changed <= {"backend"}
    assert optuna.logging.get_verbosity() == verbosity


def test_the_same_files_give_the_same_pictures(sweep: SweepFolder) -> None:
    one, other = drawings(sweep), drawings(sweep)
    assert one.files == other.files
    assert [each.picture for each in one.shown] == [each.picture for each in other.shown]


def test_one_complete_trial_has_no_history(tmp_path: Path) -> None:
    found = drawings(made(tmp_path / "runs" / "a", [{W: 1, R: 0.0}], [[2.0, 2.2]]))
    assert [each.heading for each in found.shown] == ["Slices", "Intermediate values"]
    assert set(found.left_out) == {"History", "Importance", "Contours", "Parallel coordinates"}
    assert set(found.left_out.values()) == {"fewer than two trials are complete"}


def test_one_parameter_has_no_contour(tmp_path: Path) -> None:
    settings = [{W: w} for w in (1, 2, 3)]
    scores = [[3.0, 3.1], [2.0, 2.2], [2.1, 2.2]]
    found = drawings(made(tmp_path / "runs" / "a", settings, scores, space={W: [1, 2, 3]}))
    assert "Contours" in found.left_out
    assert "no two parameters" in found.left_out["Contours"]


def test_a_parameter_that_never_varied_is_in_no_contour(tmp_path: Path) -> None:
    settings = [{W: 2, R: r} for r in (-1.0, 0.0, 1.0)]
    found = drawings(made(tmp_path / "runs" / "a", settings, [[3.0, 3.1], [2.0, 2.2], [2.1, 2.2]]))
    assert "no two parameters" in found.left_out["Parallel coordinates"]


def test_equal_scores_have_no_importance_and_no_contour(tmp_path: Path) -> None:
    settings = [{W: w, R: float(w) / 8} for w in (1, 2, 3)]
    found = drawings(made(tmp_path / "runs" / "a", settings, [[2.0, 2.0]] * 3))
    assert found.left_out["Contours"] == "all complete trials have one value"
    assert found.shown[0].heading == "History"


@pytest.mark.parametrize("number", [2, 3])
def test_few_trials_are_drawn(tmp_path: Path, number: int) -> None:
    settings = [{W: w, R: float(w) / 8} for w in (1, 2, 3)[:number]]
    scores = [[3.0, 3.1], [2.0, 2.2], [2.1, 2.2]][:number]
    assert drawings(made(tmp_path / "runs" / "a", settings, scores)).left_out == {}


def test_without_any_score_nothing_is_drawn(tmp_path: Path) -> None:
    sweep = SweepFolder(tmp_path / "runs" / "a")
    sweep.trial(0, {W: 1, R: 0.0}, [], "failed", "the disk is full", intermediate=[])
    found = drawings(sweep)
    assert found.shown == ()
    assert len(found.left_out) == 6


def test_spaces_of_every_kind_are_drawn(tmp_path: Path) -> None:
    space = {
        W: {"low": 1, "high": 9, "step": 2},
        "task.rate": {"low": 0.001, "high": 0.1, "log": True},
        "task.grid": {"low": 0.0, "high": 0.3, "step": 0.1},
        "task.kind": ["soft", None, True, 3],
    }
    kinds = ["soft", None, True, 3]
    settings = [
        {
            W: 1 + 2 * (place % 5),
            "task.rate": 0.001 * 2**place,
            "task.grid": 0.1 * (place % 4),
            "task.kind": kinds[place % 4],
        }
        for place in range(6)
    ]
    scores = [[2.0 + place, 2.5 + place] for place in range(6)]
    found = drawings(made(tmp_path / "runs" / "a", settings, scores, space=space))
    assert found.left_out == {}
    contours = [each for each in found.shown if each.heading.startswith("Contour of chunk_size")]
    assert len(contours) == 3
    assert len([each for each in found.shown if each.heading.startswith("Contour")]) == 6


@pytest.mark.parametrize("scores", [[2.0, 90.0, 4.0], [0.0, 90.0, 4.0], [-1.0, 90.0, 0.1]])
def test_scores_far_apart_are_drawn(tmp_path: Path, scores: list[float]) -> None:
    settings = [{W: w, R: float(w) / 8} for w in (1, 2, 3)]
    values = [[score, score] for score in scores]
    metric = {"name": "val/loss", "mode": "min"}
    found = drawings(made(tmp_path / "runs" / "a", settings, values, metric=metric))
    assert found.left_out == {}
    logarithms = "log10 of val/loss" in " ".join(each.picture for each in found.shown)
    assert logarithms == (min(scores) > 0)


def test_w_and_r_come_first(tmp_path: Path) -> None:
    paths = [f"task.p{number}" for number in range(3)]
    space = {**{path: [1, 2] for path in paths}, **SWEEP["space"]}
    settings = [
        {**{path: 1 + (n >> k) % 2 for k, path in enumerate(paths)}, W: 1 + n % 3, R: n / 8}
        for n in range(8)
    ]
    scores = [[2.0 + n, 2.1 + n] for n in range(8)]
    found = drawings(made(tmp_path / "runs" / "a", settings, scores, space=space))
    contours = [each for each in found.shown if each.heading.startswith("Contour")]
    assert contours[0].heading == "Contour of chunk_size and offset"
    assert contours[-1].caption.endswith("4 more pairs are not drawn.")
