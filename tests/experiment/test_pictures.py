"""What is drawn as a run trains, and that it changes nothing."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import pytorch_lightning as pl
import torch

from experiment.running import WANDERING, bits, run_in_process
from experiment.toy import PNG, Mechanism, ToyData, ToyTask
from mocha_lightning.experiment.pictures import Pictures, drawn, is_due
from mocha_lightning.tracking import Tracker

TWENTY = {"max_steps": 20, "val_check_interval": 5}


def test_a_run_has_the_same_bits_with_wandb_as_without(tmp_path: Path) -> None:
    """Its mechanism and its dropout draw random numbers as it trains."""
    for mode in ("offline", "disabled"):
        assert run_in_process(WANDERING, tmp_path / mode, wandb=mode) == 0
    assert bits(tmp_path / "offline") == bits(tmp_path / "disabled")
    assert (tmp_path / "offline" / "pictures" / "step-20" / "line.png").read_bytes() == PNG
    assert not (tmp_path / "disabled" / "pictures").exists()


@pytest.mark.parametrize(
    ("validations", "due"),
    [(1, [1]), (4, [1, 2, 3, 4]), (9, [2, 4, 6, 8, 9]), (100, [20, 40, 60, 80, 100])],
)
def test_at_most_five_are_drawn_evenly_and_the_last_is_of_the_end(
    validations: int, due: list[int]
) -> None:
    assert [n for n in range(1, validations + 1) if is_due(n, validations)] == due


class Drawing(ToyTask):
    """Draws random numbers as it draws."""

    def illustrate(self, data: pl.LightningDataModule) -> dict[str, bytes]:
        torch.rand(3)
        np.random.rand(3)
        return {"line.png": PNG, "line.npz": b""}


class Failing(ToyTask):
    """Cannot be drawn."""

    def illustrate(self, data: pl.LightningDataModule) -> dict[str, bytes]:
        raise ValueError("nothing\nto see")


def validate(folder: Path, task: ToyTask, *, step: int = 5, listens: bool = True) -> None:
    """What the callback does after a validation."""
    tracker = cast(Tracker, SimpleNamespace(listens=listens))
    callback = Pictures(folder, tracker, ToyData(), TWENTY)
    callback.on_validation_end(cast(Any, SimpleNamespace(global_step=step)), task)


def test_drawing_leaves_the_random_states_as_they_were(tmp_path: Path) -> None:
    task = Drawing(3, Mechanism)
    torch.manual_seed(3)
    np.random.seed(3)
    expected = torch.rand(1), np.random.rand()
    torch.manual_seed(3)
    np.random.seed(3)
    validate(tmp_path, task)
    assert (torch.rand(1), np.random.rand()) == expected


def test_only_pictures_are_kept_and_each_with_its_step(tmp_path: Path) -> None:
    validate(tmp_path, Drawing(3, Mechanism), step=10)
    assert drawn(tmp_path, 10) == [tmp_path / "pictures" / "step-10" / "line.png"]
    assert drawn(tmp_path, 5) == []


def test_nothing_is_drawn_where_nobody_listens(tmp_path: Path) -> None:
    validate(tmp_path, Drawing(3, Mechanism), listens=False)
    assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_drawn_is_a_line_and_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    validate(tmp_path, Failing(3, Mechanism))
    assert capsys.readouterr().err == "no picture at step 5: ValueError: nothing to see\n"
