"""The curves of a run that goes on."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytorch_lightning as pl

from mocha_lightning.experiment.callbacks import Curves
from mocha_lightning.tracking import Tracker


def test_the_tracker_is_told_again_what_came_before_the_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "curves.jsonl").write_text(
        '{"step": 5, "val/error": null}\n{"step": 10, "val/error": 0.5}\n{"step": 15}\n{"st'
    )
    told: list[tuple[int, dict[str, float], list[Path]]] = []
    tracker = SimpleNamespace(log=lambda *each: told.append(each))
    curves = Curves(tmp_path, cast(Tracker, tracker), 1)
    trainer, task = cast(pl.Trainer, None), cast(pl.LightningModule, None)
    curves.on_load_checkpoint(trainer, task, {"global_step": 10})
    (first, nothing, _), second = told
    # The file has null for what was not a number.
    assert (first, list(nothing)) == (5, ["val/error"])
    assert math.isnan(nothing["val/error"])
    assert second == (10, {"val/error": 0.5}, [])
    assert (tmp_path / "curves.jsonl").read_text().count("\n") == 2
