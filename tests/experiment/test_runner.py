"""All runs of an experiment, whatever happens to one of them or to the runner."""

import copy
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from experiment.running import (
    BARE,
    MECHANISM,
    NOISY,
    WANDERING,
    WANDERING_RATE,
    run_in_process,
    start_process,
    toy_spec,
)
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.conflicts import check_base, check_same
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.locks import is_busy, locked
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED


def named(variant: str, spec: RunSpec) -> RunSpec:
    return RunSpec(**{**spec.__dict__, "variant": variant})


def ignore(runs: Sequence[Run]) -> None:
    pass


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 180
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_run_that_dies_is_reported_and_does_not_stop_the_others(tmp_path: Path) -> None:
    specs = [
        named("good", toy_spec()),
        named("bad", toy_spec(fail_at=3)),
        named("late", toy_spec(seed=1)),
    ]
    seen = []

    def watch(runs: Sequence[Run]) -> None:
        seen.append([run.state for run in runs])

    good, bad, late = run_all(specs, tmp_path, 1, Processes(DISABLED), watch)
    assert (good.state, bad.state, late.state) == (State.DONE, State.FAILED, State.DONE)
    assert "exit code 1: RuntimeError: the toy was told to fail" in bad.problem
    assert str(tmp_path / "bad" / "seed-0" / "log.txt") in bad.problem
    # One job: never two at once, and in the order given.
    assert all(states.count(State.RUNNING) <= 1 for states in seen)
    assert [State.RUNNING, State.WAITING, State.WAITING] in seen
    assert (tmp_path / "late" / "seed-1" / "result.json").exists()

    # The same again: what is finished is not done again, what failed is.
    result = tmp_path / "good" / "seed-0" / "result.json"
    before = result.stat().st_mtime_ns
    log = tmp_path / "bad" / "seed-0" / "log.txt"
    again = run_all(specs, tmp_path, 2, Processes(DISABLED), ignore)
    assert [run.state for run in again] == [State.DONE, State.FAILED, State.DONE]
    assert result.stat().st_mtime_ns == before
    assert log.read_text().count("RuntimeError: the toy was told to fail") == 2


def test_a_run_that_another_runner_does_is_left_to_it_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = toy_spec(step_seconds=0.1)
    folder = run_folder(tmp_path, spec.variant, spec.seed)
    other = start_process(spec, folder)
    wait_for(lambda: is_busy(folder))
    states = []
    executor = Processes(DISABLED)
    # It would end all children of this process, of which the other run is one here.
    monkeypatch.setattr(executor, "stop", lambda: None)
    (run,) = run_all([spec], tmp_path, 1, executor, lambda runs: states.append(runs[0].state))
    other.join(60)
    assert other.exitcode == 0
    assert run.state is State.DONE
    assert set(states) == {State.ELSEWHERE, State.DONE}
    assert (folder / "log.txt").read_text().count("---") == 1


def test_a_run_whose_other_runner_died_is_taken_over(tmp_path: Path) -> None:
    spec = toy_spec(step_seconds=0.2)
    folder = run_folder(tmp_path, spec.variant, spec.seed)
    other = start_process(spec, folder)
    wait_for(lambda: (folder / "checkpoints" / "last.ckpt").exists())

    def watch(runs: Sequence[Run]) -> None:
        if runs[0].state is State.ELSEWHERE:
            other.kill()

    (run,) = run_all([spec], tmp_path, 1, Processes(DISABLED), watch)
    assert run.state is State.DONE


def test_a_run_that_another_command_began_with_another_configuration_is_left_to_it(
    tmp_path: Path,
) -> None:
    spec, hidden = toy_spec(step_seconds=0.2), toy_spec(step_seconds=0.2, hidden=5)
    folder = run_folder(tmp_path, spec.variant, spec.seed)
    other = start_process(spec, folder)
    wait_for(lambda: (folder / "checkpoints" / "last.ckpt").exists())
    for stopped in (False, True):
        if stopped:
            other.terminate()
            other.join(60)
        (run,) = run_all([hidden], tmp_path, 1, Processes(DISABLED), ignore)
        assert run.state is State.FAILED
        assert "another command has begun it with another configuration (task.hid" in run.problem
    # What it has done so far is still its own, and the same command goes on.
    assert RunSpec.read(folder) == spec
    (run,) = run_all([spec], tmp_path, 1, Processes(DISABLED), ignore)
    assert run.state is State.DONE


def test_a_process_does_the_run_that_was_meant_or_none(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "plain", 0)
    process = start_process(toy_spec(), folder, meant=toy_spec(hidden=5))
    process.join(180)
    assert process.exitcode == 2
    assert not (folder / "result.json").exists()
    assert "another command has written another configuration" in (folder / "log.txt").read_text()


def test_the_lock_of_a_run_lets_one_in(tmp_path: Path) -> None:
    assert not is_busy(tmp_path)
    with locked(tmp_path):
        assert is_busy(tmp_path)
        assert run_in_process(toy_spec(), tmp_path) == 75
    assert not is_busy(tmp_path)
    assert not (tmp_path / "result.json").exists()


def test_results_of_another_configuration_are_not_mixed_in(done: Path, tmp_path: Path) -> None:
    folder = run_folder(tmp_path, WANDERING.variant, WANDERING.seed)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(done)
    check_same([WANDERING], tmp_path)
    other = toy_spec(learning_rate=0.2)
    with pytest.raises(UserError) as caught:
        check_same([other, toy_spec(seed=1)], tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: 1 of 2 runs were begun with another configuration (plain seed 0; the first: "
        f"task.learning_rate was {WANDERING_RATE} and is 0.2): go on with the old one by the "
        "options (command in its config.yaml) and the files of your own that it was begun with, "
        "give the new one another name (--name), do the other runs alone (--only-missing), or "
        "remove those folders"
    )


def test_a_corpus_that_was_moved_is_the_same_and_one_that_was_changed_is_not(
    done: Path, tmp_path: Path
) -> None:
    folder = run_folder(tmp_path, WANDERING.variant, WANDERING.seed)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(done)
    moved = copy.deepcopy(WANDERING)
    moved.config["data"]["init_args"]["shelf"] = "there"
    check_same([moved], tmp_path)
    with pytest.raises(UserError, match=r'data_sha256 was "0{12}\.\.\." and is "1{12}\.\.\."'):
        check_same([replace(WANDERING, data_sha256="1" * 64)], tmp_path)


def test_variants_of_different_bases_are_not_mixed(done: Path, tmp_path: Path) -> None:
    """Also where the other variant is none of the runs that are wanted now."""
    folder = run_folder(tmp_path, "noisy", 0)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(done)
    variants = {"plain": {"task.mechanism": MECHANISM}, "noisy": {"task.mechanism": NOISY}}
    task = {"learning_rate": WANDERING_RATE, "weight_noise": 0.02}
    same = toy_spec(trainer={"gradient_clip_val": 1.0}, **task)
    check_base([same], tmp_path, variants)
    with pytest.raises(UserError, match=r"trainer\.gradient_clip_val was 1\.0 and is not there"):
        check_base([toy_spec(**task)], tmp_path, variants)
    check_base([toy_spec()], tmp_path, {"plain": variants["plain"]})


def test_a_variant_of_another_class_shares_the_arguments_that_both_have(
    done: Path, tmp_path: Path
) -> None:
    folder = run_folder(tmp_path, "noisy", 0)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(done)
    variants = {"noisy": {"task.mechanism": NOISY}, "bare": {"task.class_path": BARE}}
    # Of the done run's arguments BareTask has these; weight_noise, for one, it does not.
    for learning_rate, hidden, said in (
        (WANDERING_RATE, 4, None),
        (0.2, 4, rf"task\.learning_rate was {WANDERING_RATE} and is 0\.2"),
        (WANDERING_RATE, 5, r"task\.hidden was 4 and is 5"),
    ):
        arguments = {"learning_rate": learning_rate, "hidden": hidden, "decay": 0.5}
        config = {**WANDERING.config, "task": {"class_path": BARE, "init_args": arguments}}
        bare = replace(WANDERING, variant="bare", config=config)
        if said is None:
            check_base([bare], tmp_path, variants)
        else:
            with pytest.raises(UserError, match=said):
                check_base([bare], tmp_path, variants)
    # Where no variant names a class, another class is another base.
    with pytest.raises(UserError, match=r'task\.class_path was "\S+ToyTask" and is "\S+BareTask"'):
        check_base([bare], tmp_path, {"noisy": variants["noisy"]})


def test_half_a_run_of_another_configuration_is_not_gone_on_with(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "plain", 0)
    run_in_process(toy_spec(), folder, dies_at="training 7")
    check_same([toy_spec()], tmp_path)
    with pytest.raises(UserError, match=r"task\.hidden was 4 and is 5"):
        check_same([toy_spec(hidden=5)], tmp_path)


def test_steps_without_a_checkpoint_are_not_begun_anew_by_mistake(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "plain", 0)
    run_in_process(toy_spec(step_seconds=0.5), folder, dies_at="training 3")
    assert not (folder / "checkpoints").exists()
    with pytest.raises(UserError, match=r"task\.hidden was 4 and is 5"):
        check_same([toy_spec(step_seconds=0.5, hidden=5)], tmp_path)


def test_a_run_that_failed_before_its_first_step_may_be_mended(tmp_path: Path) -> None:
    run_in_process(toy_spec(fail_at=0), run_folder(tmp_path, "plain", 0))
    check_same([toy_spec()], tmp_path)


def test_a_changed_class_of_the_users_own_makes_another_run(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "plain", 0)
    run_in_process(toy_spec(), folder)
    check_same([toy_spec()], tmp_path)
    with pytest.raises(UserError, match=r'sources\.experiment\.toy was ".*" and is "changed"'):
        check_same([replace(toy_spec(), sources={"experiment.toy": "changed"})], tmp_path)


def test_a_result_that_is_not_whole_is_said_so(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "plain", 0)
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps({"schema": 1})[:-3])
    with pytest.raises(UserError, match=r"result\.json: is no whole result: remove it"):
        check_same([toy_spec()], tmp_path)


def test_a_configuration_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "plain", 0)
    (folder / "checkpoints").mkdir(parents=True)
    with pytest.raises(UserError, match=r"config\.yaml: cannot be read as a run's configuration"):
        check_same([toy_spec()], tmp_path)
