"""``benchmarks/sweeping.py``, but for the commands that it gives: they take minutes."""

import json
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import FrozenTrial, TrialState
from sweeping import SweepPlace, is_done, main

from mocha_lightning.sweep.definition import load_sweep

VALUES = {"task.attention.offset": -1.5}
SAID = {"values": VALUES, "value": 0.25}
RESULT = {"differences": VALUES, "metrics": {"val/exact_match": {"value": 0.25}}}


def trial(state: TrialState = TrialState.COMPLETE, **changes: Any) -> FrozenTrial:
    ranges = {path: optuna.distributions.FloatDistribution(-6, 2) for path in VALUES}
    told = {"params": VALUES, "value": 0.25, **changes}
    return optuna.trial.create_trial(state=state, distributions=ranges, **told)


def test_the_small_sweep_can_be_begun(tmp_path: Path) -> None:
    sweep = load_sweep(SweepPlace(tmp_path, 6, 30).file)
    assert (sweep.trials, sweep.steps, sweep.metric.name) == (6, 30, "val/exact_match")


@pytest.mark.parametrize(
    ("found", "done"),
    [
        (trial(), True),
        (trial(TrialState.RUNNING, value=None), False),
        (trial(value=0.5), False),
        (trial(params={"task.attention.offset": 1.0}), False),
    ],
)
def test_a_trial_is_done_where_books_and_files_say_the_same(
    tmp_path: Path, found: FrozenTrial, done: bool
) -> None:
    found.number = 3
    run = tmp_path / "trial-0003/seed-0"
    run.mkdir(parents=True)
    assert not is_done(tmp_path, found)
    (run.parent / "trial.json").write_text(json.dumps(SAID))
    (run / "result.json").write_text(json.dumps(RESULT))
    assert is_done(tmp_path, found) is done


def test_what_would_measure_the_waiting_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--long-trials", "3"])
    assert "--long-trials: must be even" in capsys.readouterr().err
