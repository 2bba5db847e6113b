"""``benchmarks/running.py``."""

from pathlib import Path
from typing import Any

import pytest
import running
from experiment.running import toy_spec
from harness import Spent
from running import Watched

from mocha_lightning.experiment.spec import RunSpec

FROM_THE_COMMAND, BOTH = running.from_the_command, running.both


@pytest.fixture(autouse=True)
def _measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be measured in processes that load PyTorch for seconds each."""
    found: dict[Any, Any] = {
        running.both: (Spent(10.0, 8.0), Spent(11.0, 8.2)),
        running.watched: Watched([4.0, 1.0, 3.0], 0.12),
    }

    def measured(work: Any, *arguments: Any) -> Any:
        return found[arguments[0] if work is running.loaded else work]

    monkeypatch.setattr(running, "in_a_process_of_its_own", measured)
    monkeypatch.setattr(running, "from_the_command", lambda *_: 5.0)


def test_what_is_around_the_training_is_told_as_a_share_of_it() -> None:
    rows = {row[""]: row for row in running.cost_rows(toy_spec(), 3, "disabled")}
    share = "of the training's, %"
    assert rows["training alone"]["processor, s"] == "8.00"
    assert rows["as a run"][share] == "102.5"
    assert rows["as a run"][f"{share[:-3]} on the clock, %"] == "110.0"
    assert rows["the process that watches"][share] == "1.5"
    assert rows["run and watching"][share] == "104.0"


def test_a_run_comes_to_what_the_training_alone_comes_to() -> None:
    alone, run = BOTH(toy_spec(), "disabled")
    assert run.cpu > alone.cpu > 0


def test_two_trainings_that_come_to_different_weights_are_no_comparison(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bare = running.bare
    other = toy_spec(learning_rate=0.5)
    monkeypatch.setattr(running, "bare", lambda _, turn: bare(other, turn))
    with pytest.raises(SystemExit, match="the run came to other weights"):
        BOTH(toy_spec(), "disabled")


def test_the_first_run_of_a_command_is_told_apart() -> None:
    first, later = running.start_rows(Path("toy.yaml"), [toy_spec()], Path("cache"), 2, "disabled")
    assert (first["median, s"], first["runs"]) == ("5.00", "2")
    assert (later["median, s"], later["longest, s"], later["runs"]) == ("2.00", "3.00", "4")


def test_a_command_that_begins_no_run_is_no_measure(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="the command ended before its first run began"):
        FROM_THE_COMMAND(tmp_path / "none.yaml", tmp_path, "disabled")


def test_runs_that_are_watched_say_when_they_began() -> None:
    specs = [toy_spec(seed=seed, step_seconds=0.05) for seed in (0, 1)]
    found = running.watched(specs, "disabled")
    assert len(found.starts) == 2
    assert min(found.starts) > 0
    assert found.cpu > 0


def test_a_run_that_fails_is_no_measure() -> None:
    with pytest.raises(SystemExit, match="the toy was told to fail"):
        running.watched([toy_spec(fail_at=3, step_seconds=0.2)], "disabled")


def test_the_first_variant_is_taken_with_six_validations(tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    data = "{class_path: mocha_lightning.data.KeyFacts, init_args: {train_documents: 32}}"
    file.write_text(f"base: {running.EXPERIMENT}\ndata: {data}\n")
    (spec,) = running.specs_of(file, 12, [0], tmp_path / "cache")
    assert isinstance(spec, RunSpec)
    assert (spec.variant, spec.steps) == ("soft", 12)
    assert spec.config["trainer"]["val_check_interval"] == 2
    assert len(spec.data_sha256) == 64


def test_steps_that_have_no_six_parts_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        running.main(["--steps", "7"])
    assert "--steps: must be a multiple of 6" in capsys.readouterr().err
