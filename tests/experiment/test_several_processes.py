"""A run by several processes is the run of one."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiment.conftest import ExperimentFile
from experiment.running import (
    NOISY,
    TOY,
    bits,
    result,
    run_in_process,
    start_process,
    toy_spec,
)
from experiment.several import SIZES, Noise
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.building import build_each
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.exits import PART_LOST, STOPPED, is_machine_fault
from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.resolving import resolve
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.trainer import check_trainer

TOGETHER = {"devices": 2, "accumulate_grad_batches": 2}
SHARED = toy_spec(
    mechanism=NOISY,
    trainer={"gradient_clip_val": 1.0, **TOGETHER},
    learning_rate=1.0,
    weight_noise=0.02,
)
"""The toy's run with all that is random in it."""


def recognizer(devices: int) -> RunSpec:
    """A run in which nothing is drawn by chance, and whose losses count different things."""
    config = {
        "task": {
            "class_path": "mocha_lightning.recognizer.SpeechRecognizer",
            "init_args": {
                "attention": {
                    "class_path": "mocha_lightning.attention.MoChA",
                    "init_args": {"offset": 0.0, "gain": 2.0, "noise_std": 0.0},
                },
                **{"filters": 4, "hidden_dim": 16, "layers": 2},
                **{"decoder_dim": 12, "embedding_dim": 6, "energy_dim": 10},
                **{"ctc_weight": 0.3, "quantity_weight": 0.1},
                **{"learning_rate": 0.01, "beam_width": 2},
            },
        },
        "data": {"class_path": "experiment.several.Noise"},
        "trainer": {
            **{"max_steps": 20, "val_check_interval": 10, "log_every_n_steps": 1},
            **{"gradient_clip_val": 1.0, "devices": devices},
        },
    }
    spec = toy_spec(metric="test/wer")
    return replace(spec, config=resolve(config), data_sha256=Noise.SHA256, places=(), sources={})


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    assert run_in_process(recognizer(1), folder) == 0
    return folder


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("together")
    assert run_in_process(recognizer(2), folder) == 0
    return folder


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


@pytest.mark.parametrize("loss", ["train/loss", "train/ctc", "train/quantity"])
def test_two_processes_have_the_losses_of_one_to_1e_5_over_20_steps(
    loss: str, alone: Path, together: Path
) -> None:
    """Though their parts of a batch have different numbers of labels and of frames."""
    one, two = ([each[loss] for each in lines(run, "curves.jsonl")] for run in (alone, together))
    assert len(one) == len(two) == 20
    assert max(abs(here - there) for here, there in zip(one, two, strict=True)) < 1e-5
    # They do learn: equal losses of weights that stay would say little.
    assert abs(one[0] - one[-1]) > 0.1


def test_no_utterance_is_tested_twice_or_left_out_and_their_order_is_that_of_one_process(
    alone: Path, together: Path
) -> None:
    """There are three batches for two processes, and the last is smaller."""
    found = lines(together, "predictions.jsonl")
    assert len({each["utterance"] for each in found}) == len(found) == SIZES["test"]
    assert found == lines(alone, "predictions.jsonl")


def test_scores_are_of_the_whole_split(alone: Path, together: Path) -> None:
    here, there = (result(run)["metrics"] for run in (alone, together))
    assert list(here) == list(there)
    for name, metric in here.items():
        assert there[name]["value"] == pytest.approx(metric["value"], abs=1e-4), name


def test_the_result_says_how_many_processes_there_were(alone: Path, together: Path) -> None:
    assert result(alone)["provenance"]["processes"] == 1
    assert result(together)["provenance"]["processes"] == 2
    assert result(together)["provenance"]["device"] == "cpu"
    assert result(together)["config"]["trainer"]["devices"] == 2
    assert "devices" not in result(alone)["config"]["trainer"]


def test_only_the_first_process_writes(alone: Path, together: Path) -> None:
    here, there = (
        sorted(str(path.relative_to(run)) for path in run.rglob("*")) for run in (alone, together)
    )
    assert there == here
    # A step has one record.
    steps = [each["step"] for each in lines(together, "curves.jsonl")]
    assert steps == list(range(1, 21))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    assert run_in_process(SHARED, folder) == 0
    return folder


def test_steps_and_validations_are_counted_in_updates(shared: Path) -> None:
    curves = lines(shared, "curves.jsonl")
    assert [each["step"] for each in curves] == list(range(1, 21))
    assert [each["step"] for each in curves if "val/error" in each] == [5, 10, 15, 20]
    assert result(shared)["steps"] == 20


def test_an_update_sees_the_batch_that_it_would_see_whole(shared: Path, done: Path) -> None:
    """What is logged is the mean over an update's rounds, here of sums."""
    halves, wholes = (
        [each["train/batch"] for each in lines(run, "curves.jsonl")] for run in (shared, done)
    )
    assert [2 * half for half in halves] == pytest.approx(wholes)


def test_a_killed_process_ends_the_run_in_a_line_and_it_goes_on_with_the_same_bits(
    shared: Path, tmp_path: Path
) -> None:
    code = run_in_process(SHARED, tmp_path, dies_at="training 13 in process 1")
    assert code == PART_LOST
    assert is_machine_fault(code)
    said = (
        "process 2 of 2 was killed by SIGKILL (by somebody, or by the system where memory ran out)"
    )
    log = (tmp_path / "log.txt").read_text()
    assert log.splitlines()[-1] == f"error: {said}"
    assert "Traceback" not in log
    assert read_progress(tmp_path).problem == f"ProcessError: {said}"
    assert run_in_process(SHARED, tmp_path) == 0
    assert bits(tmp_path) == bits(shared)


def test_a_run_that_is_asked_to_stop_takes_the_others_with_it(tmp_path: Path) -> None:
    process = start_process(toy_spec(trainer={"devices": 2}, step_seconds=0.5), tmp_path)
    deadline = time.monotonic() + 120
    while read_progress(tmp_path).step < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    (other,) = children(process.pid)
    process.terminate()
    process.join(30)
    assert process.exitcode == STOPPED
    assert not other.exists()
    assert "stopped; the same command goes on" in (tmp_path / "log.txt").read_text()


def children(pid: int | None) -> list[Path]:
    """The processes that compute with another."""
    pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [Path("/proc", each) for each in pids]
    return [each for each in found if b"spawn_main" in (each / "cmdline").read_bytes()]


def test_a_loss_that_is_no_number_ends_the_run_as_that_of_one_process(tmp_path: Path) -> None:
    assert run_in_process(toy_spec(trainer={"devices": 2}, nan_from=3), tmp_path) == 0
    content = result(tmp_path)
    assert content["ended"] == "the training loss was nan at step 3"
    assert set(content["metrics"]) == {"test/error", "test/loss", "val/error", "val/loss"}


def test_an_error_in_the_others_alone_is_told_and_ends_the_run(tmp_path: Path) -> None:
    spec = toy_spec(trainer={"devices": 2}, fail_at=3, fail_in=1)
    assert run_in_process(spec, tmp_path) == 1
    log = (tmp_path / "log.txt").read_text()
    assert log.splitlines()[-1] == (
        "error: process 2 of 2 failed: RuntimeError: the toy was told to fail"
    )
    assert log.count("Traceback") == 1


@pytest.mark.parametrize("key", ["devices", "num_nodes", "accumulate_grad_batches"])
@pytest.mark.parametrize("value", [0, -1, 2.0, "auto", True, [0, 1], None])
def test_how_many_must_be_a_whole_number(key: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        check_trainer({"max_steps": 2, "val_check_interval": 1, key: value})
    assert caught.value.keys == ("trainer", key)
    assert caught.value.problem.startswith("must be a whole number above 0: it is the")


def refused(file: Path) -> str:
    experiment = load_experiment(file)
    with pytest.raises(UserError) as caught:
        build_each(experiment.variants, experiment.metric)
    return str(caught.value)


def test_a_batch_that_the_processes_do_not_divide_is_refused_before_any_run(
    toy_file: ExperimentFile,
) -> None:
    said = refused(toy_file(trainer={**TOY["trainer"], "devices": 3}))
    assert said.endswith(
        "data.batch_size is 8, and a batch is shared by 3 processes: give a multiple of 3"
    )


def test_a_corpus_that_gives_whole_batches_alone_is_refused(toy_file: ExperimentFile) -> None:
    data = {"class_path": "experiment.toy.WholeData"}
    said = refused(toy_file(trainer={**TOY["trainer"], "accumulate_grad_batches": 2}, data=data))
    assert "WholeData gives whole batches alone, not those of 1 process, 2 parts each" in said


def test_a_task_that_does_not_say_that_it_may_be_shared_is_refused(
    toy_file: ExperimentFile,
) -> None:
    task = {"class_path": "experiment.toy.LoneTask"}
    file = toy_file(trainer={**TOY["trainer"], "devices": 2}, task=task)
    assert refused(file) == (
        f"{file}:9: trainer.devices (variant plain): LoneTask does not say that 2 processes may "
        "share its batches (by_processes): leave it out"
    )
