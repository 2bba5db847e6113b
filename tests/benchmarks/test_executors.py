"""``benchmarks/executors.py``, with processes in Ray's place: a cluster takes long to begin."""

from pathlib import Path

import executors
import pytest
from experiment.running import toy_spec


def test_each_executor_does_every_run_and_is_set_beside_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(executors, "ray", executors.processes)
    one_by_one, _, two_at_once = executors.rows([toy_spec(seed=seed) for seed in (0, 1)], 1)
    assert (one_by_one["more than a process, s"], one_by_one["throughput"]) == ("0.00", "")
    assert two_at_once[""] == "ray, 2 workers"
    assert float(two_at_once["throughput"]) > 0


def test_runs_that_fail_are_no_measure() -> None:
    with pytest.raises(SystemExit, match="the toy was told to fail"):
        executors.seconds(executors.processes, [toy_spec(fail_at=1)], 1)


def test_what_a_round_leaves_open_the_benchmark_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[Path] = []

    class Watched(executors.Processes):
        def stop(self) -> None:
            ended.append(Path())
            super().stop()

    executors.seconds(lambda _: Watched(executors.DISABLED), [toy_spec()], 1)
    assert len(ended) == 1
