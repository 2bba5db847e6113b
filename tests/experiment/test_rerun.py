"""Finished runs done again."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from experiment.running import WANDERING, toy_spec
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.rerun import compare_runs, kept, origins_now, read_finished, rerun
from mocha_lightning.experiment.result import write_result
from mocha_lightning.experiment.spec import RunSpec


def unseen(_: object) -> None:
    """Watch nothing."""


def again(into: Path) -> Path:
    return run_folder(into / WANDERING.experiment, WANDERING.variant, WANDERING.seed)


def test_a_run_is_repeated_to_the_last_bit_and_left_as_it_was(done: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in done.rglob("*") if path.is_file()}
    found = rerun(done, read_finished(done), tmp_path, unseen)
    assert found == []
    assert {path: path.read_bytes() for path in before} == before
    assert (again(tmp_path) / "result.json").exists()


def changed(folder: Path, change: Any) -> None:
    content = json.loads((folder / "result.json").read_text())
    change(content)
    (folder / "result.json").write_text(json.dumps(content))


@pytest.fixture
def copy(done: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(done, tmp_path / "copy"))


def test_the_last_bit_of_a_score_is_seen(done: Path, copy: Path) -> None:
    name = "test/error"

    def nudge(content: dict[str, Any]) -> None:
        metric = content["metrics"][name]
        metric["value"] = torch.nextafter(
            torch.tensor(metric["value"], dtype=torch.float64), torch.tensor(9e9).double()
        ).item()

    changed(copy, nudge)
    (said,) = compare_runs(done, copy)
    assert said.startswith(f"{name}: ")
    assert compare_runs(done, done) == []


def test_a_score_that_one_of_them_lacks_is_seen(done: Path, copy: Path) -> None:
    changed(copy, lambda content: content["metrics"].pop("val/error"))
    (said,) = compare_runs(done, copy)
    assert said.startswith("val/error: ")
    assert said.endswith("again None")


def test_predictions_are_compared_line_by_line(done: Path, copy: Path) -> None:
    lines = (copy / "predictions.jsonl").read_text().splitlines()
    (copy / "predictions.jsonl").write_text("\n".join([*lines[:-1], "{}"]) + "\n")
    assert compare_runs(done, copy) == [
        f"predictions.jsonl: 1 of {len(lines)} lines differ, the first is {len(lines)}"
    ]
    (copy / "predictions.jsonl").write_text("")
    assert compare_runs(done, copy) == [f"predictions.jsonl: {len(lines)} lines, again 0"]


@pytest.mark.parametrize("origin", [None, 1.5])
def test_where_a_run_is_from_is_checked_before_the_time_is_spent(copy: Path, origin: Any) -> None:
    changed(copy, lambda content: content.update(provenance=origin))
    with pytest.raises(UserError, match="what it has left is not whole"):
        read_finished(copy)


def test_weights_are_compared_bit_by_bit(done: Path, copy: Path) -> None:
    path = copy / "checkpoints/last.ckpt"
    checkpoint = torch.load(path, weights_only=True)
    name = next(iter(checkpoint["state_dict"]))
    checkpoint["state_dict"][name].view(torch.int32).view(-1)[0] += 1
    torch.save(checkpoint, path)
    (said,) = compare_runs(done, copy)
    assert said.startswith("last.ckpt: 1 of ")
    assert said.endswith(name)


def test_what_may_be_the_reason_is_told_before(done: Path, copy: Path) -> None:
    changed(copy, lambda content: content["provenance"].update(hardware="an abacus"))
    before, after = (origins_now(folder, RunSpec.read(folder)) for folder in (done, copy))
    assert not any(said.startswith(("hardware", "versions")) for said in before)
    (said,) = (each for each in after if each not in before)
    assert said.startswith("hardware: an abacus, again ")


def test_what_is_not_finished_cannot_be_repeated(copy: Path) -> None:
    (copy / "result.json").unlink()
    with pytest.raises(UserError, match="is not finished"):
        read_finished(copy)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda run: changed(run, lambda content: content.update(metrics=[])),
        lambda run: changed(run, lambda content: content["metrics"].update({"test/error": 1})),
        lambda run: changed(run, lambda content: content.pop("best_step")),
        lambda run: (run / "checkpoints/best.ckpt").write_bytes(b"half"),
        lambda run: (run / "predictions.jsonl").unlink() or (run / "predictions.jsonl").mkdir(),
    ],
    ids=["no scores", "no score", "no best step", "no checkpoint", "no predictions"],
)
def test_what_could_not_be_compared_is_refused_before_the_time_is_spent(
    copy: Path, spoil: Callable[[Path], Any]
) -> None:
    spoil(copy)
    with pytest.raises(UserError, match=str(copy)):
        read_finished(copy)


def test_what_a_copy_was_left_without_is_not_said_to_be_the_same(done: Path, copy: Path) -> None:
    assert all(kept(done).values())
    (copy / "checkpoints/last.ckpt").unlink()
    (copy / "predictions.jsonl").unlink()
    assert compare_runs(copy, done) == []
    assert [part for part, there in kept(copy).items() if there] == ["scores"]


def test_a_mechanism_of_one_s_own_that_was_changed_is_refused(tmp_path: Path) -> None:
    spec = replace(toy_spec(), sources=dict.fromkeys(toy_spec().sources, "of another file"))
    spec.write(tmp_path)
    write_result(tmp_path, spec, {"metrics": {}, "ended": "completed", "provenance": {}})
    with pytest.raises(UserError, match="is not what it was for this run"):
        read_finished(tmp_path)


def test_a_run_is_no_repetition_of_itself(done: Path, tmp_path: Path) -> None:
    place = again(tmp_path)
    shutil.copytree(done, place)
    with pytest.raises(UserError, match="is the run itself: name another folder with --to"):
        rerun(place, read_finished(place), tmp_path, unseen)


def test_a_variant_s_folder_is_no_run_s(tmp_path: Path) -> None:
    """It must not be advised to remove it."""
    with pytest.raises(UserError) as caught:
        read_finished(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: is no run's folder (there is no config.yaml): give one, such as "
        "runs/demo/mocha_w2/seed-0"
    )
