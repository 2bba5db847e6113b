"""What a study is reckoned to take."""

import io
import os
import signal
from dataclasses import replace

import pytest
from rich.console import Console

from experiment.running import toy_spec
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.measuring import Measured
from mocha_lightning.experiment.plan import Planned, plan, print_plan, seconds_of
from mocha_lightning.experiment.room import MIB
from mocha_lightning.experiment.spec import RunSpec

MEASURED = Measured(start=2.0, step=0.5, validation=3.0, test=7.0, memory=600.4)


def test_a_run_is_its_start_its_steps_its_validations_and_its_test() -> None:
    # Twenty steps, of which every fifth is validated.
    assert seconds_of(toy_spec(), MEASURED) == 2 + 20 * 0.5 + 4 * 3 + 7


def test_each_variant_is_measured_once_by_itself() -> None:
    slow = toy_spec(step_seconds=0.2)
    specs = [
        *(replace(slow, seed=seed) for seed in (0, 1, 2)),
        replace(toy_spec(step_seconds=0.01), variant="quick"),
    ]
    three, one = plan(specs, {"plain": 1000, "quick": 2000}, steps=2)
    assert (three.variant, three.runs, one.variant, one.runs) == ("plain", 3, "quick", 1)
    # It sleeps so long in each step; how much longer it takes is the machine's matter.
    assert three.measured.step >= 0.2
    assert one.measured.step < three.measured.step
    assert min(vars(three.measured).values()) > 0
    # Twice weights and Adam's two moments, and twenty MiB of logs.
    assert three.bytes == 2 * 12 * 1000 + 20 * MIB


def test_a_step_has_all_rounds_of_an_update() -> None:
    spec = toy_spec(step_seconds=0.1, trainer={"accumulate_grad_batches": 4})
    (planned,) = plan([spec], {"plain": 1}, steps=2)
    assert 4 * 0.1 <= planned.measured.step < 20 * 0.1


def test_a_variant_by_several_processes_is_refused() -> None:
    with pytest.raises(UserError, match=r"^trainer.devices is 2, and one process is measured"):
        list(plan([toy_spec(trainer={"devices": 2})], {"plain": 1}, steps=1))


def test_nothing_is_tested_where_nobody_looks_at_the_test_split() -> None:
    (planned,) = plan([toy_spec(metric="val/error")], {"plain": 1}, steps=1)
    assert planned.measured.test == 0
    assert planned.measured.validation > 0


def test_a_variant_that_fails_at_its_first_steps_is_a_line() -> None:
    with pytest.raises(
        UserError, match=r"^plain cannot be measured: RuntimeError: the toy was told to fail$"
    ):
        list(plan([toy_spec(fail_at=1)], {"plain": 1}, steps=1))


def die(spec: RunSpec, steps: int) -> Measured:
    os.kill(os.getpid(), signal.SIGKILL)
    return MEASURED


def test_one_whose_process_is_killed_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mocha_lightning.experiment.plan.measure", die)
    with pytest.raises(UserError, match=r"^plain: the process that measured it was killed"):
        list(plan([toy_spec()], {"plain": 1}, steps=1))


def test_all_of_it_is_told_and_how_long_it_takes_side_by_side() -> None:
    text = io.StringIO()
    planned = [
        Planned("soft", 3, 1000, MEASURED, seconds=3600, bytes=100 * MIB),
        Planned("mocha", 3, 1000, MEASURED, seconds=7200, bytes=100 * MIB),
    ]
    print_plan(planned, [1, 2, 64], Console(file=text, width=80))
    rows = [line.split() for line in text.getvalue().splitlines()]
    soft = ["soft", "500", "ms", "3", "s", "7", "s", "600", "60", "min", "3", "3.0", "h"]
    assert soft in rows
    assert "6 runs: 9.0 h of computing, 600 MiB of disk." in text.getvalue()
    assert "1 in 9.0 h, 2 in 4.5 h, 64 in 2.0 h." in text.getvalue()
