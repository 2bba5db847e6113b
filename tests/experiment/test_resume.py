"""A run that was killed and begun again ends with the bits of one that was not."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from experiment.running import NOISY, WANDERING, bits, run_in_process, toy_spec


def test_the_best_step_lies_before_the_last(done: Path) -> None:
    """Else the tests below could not see the best step forgotten."""
    assert 0 < bits(done)["best_step"] < WANDERING.steps


def test_a_run_repeats_to_the_last_bit(done: Path, tmp_path: Path) -> None:
    run_in_process(WANDERING, tmp_path)
    assert bits(tmp_path) == bits(done)


def test_another_seed_gives_other_numbers(done: Path, tmp_path: Path) -> None:
    run_in_process(toy_spec(seed=1, mechanism=NOISY, learning_rate=0.3), tmp_path)
    assert bits(tmp_path)["metrics"] != bits(done)["metrics"]


@pytest.mark.parametrize(
    "deaths",
    [
        ["training 0"],
        ["training 5"],
        ["training 13"],
        ["validation 15"],
        ["validation 20"],
        ["test 1"],
        ["training 7", "validation 10", "training 14", "test 0"],
    ],
    ids=", ".join,
)
def test_a_killed_run_goes_on_as_if_nothing_had_been(
    deaths: list[str], done: Path, tmp_path: Path
) -> None:
    for death in deaths:
        assert run_in_process(WANDERING, tmp_path, dies_at=death) == -9
        assert not (tmp_path / "result.json").exists()
    assert run_in_process(WANDERING, tmp_path) == 0
    assert bits(tmp_path) == bits(done)


def test_no_run_goes_on_from_the_checkpoint_of_another(tmp_path: Path) -> None:
    run_in_process(toy_spec(seed=0), tmp_path, dies_at="training 13")
    assert run_in_process(toy_spec(seed=1), tmp_path) == 2
    assert "last.ckpt: is of another configuration" in (tmp_path / "log.txt").read_text()


def test_the_weights_of_another_run_are_not_tested(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for seed, folder in enumerate(folders):
        run_in_process(toy_spec(seed=seed), folder)
    best = "checkpoints/best.ckpt"
    shutil.copyfile(folders[1] / best, folders[0] / best)
    (folders[0] / "result.json").unlink()
    assert run_in_process(toy_spec(), folders[0]) == 2
    assert "best.ckpt: is of another configuration" in (folders[0] / "log.txt").read_text()
    assert not (folders[0] / "result.json").exists()


@pytest.mark.parametrize("name", ["last", "best"])
def test_a_damaged_checkpoint_is_named_in_a_line(name: str, tmp_path: Path) -> None:
    assert run_in_process(toy_spec(), tmp_path, dies_at="test 0") == -9
    path = tmp_path / "checkpoints" / f"{name}.ckpt"
    path.write_bytes(path.read_bytes()[:100])
    assert run_in_process(toy_spec(), tmp_path) == 2
    said = f"{path}: is damaged or no checkpoint (RuntimeError): remove {path.parent} to have that"
    log = (tmp_path / "log.txt").read_text()
    assert said in log
    assert "Traceback" not in log


def test_a_run_whose_data_have_changed_does_not_begin(tmp_path: Path) -> None:
    assert run_in_process(replace(toy_spec(), data_sha256="1" * 64), tmp_path) == 2
    log = (tmp_path / "log.txt").read_text()
    assert f"data: their SHA-256 is {'0' * 64}, not the {'1' * 64}" in log
    assert not (tmp_path / "result.json").exists()


def test_half_a_line_of_a_killed_writer_is_dropped(done: Path, tmp_path: Path) -> None:
    run_in_process(WANDERING, tmp_path, dies_at="training 13")
    with (tmp_path / "curves.jsonl").open("a") as file:
        file.write('{"step": 14, "tr')
    run_in_process(WANDERING, tmp_path)
    assert bits(tmp_path) == bits(done)


def test_half_a_checkpoint_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "checkpoints" / ".last.ckpt.12345"
    left.parent.mkdir()
    left.write_bytes(b"half")
    assert run_in_process(toy_spec(), tmp_path) == 0
    assert not left.exists()
