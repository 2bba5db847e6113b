"""A run that was killed and begun again ends with the bits of one that was not."""

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


def test_half_a_line_of_a_killed_writer_is_dropped(done: Path, tmp_path: Path) -> None:
    run_in_process(WANDERING, tmp_path, dies_at="training 13")
    with (tmp_path / "curves.jsonl").open("a") as file:
        file.write('{"step": 14, "tr')
    run_in_process(WANDERING, tmp_path)
    assert bits(tmp_path) == bits(done)
