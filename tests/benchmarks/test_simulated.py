"""``benchmarks/simulated.py``, on a study of seconds."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import simulated
from experiment.running import toy_spec
from simulated import Cluster, Template, simulate

from mocha_lightning.experiment.runner import State

TEMPLATE = Template(
    start=2.0,
    step=1.0,
    facts={
        "metrics": {"test/error": {"value": 1.0, "signature": "error"}},
        **{"ended": "completed", "provenance": {}},
    },
    curves="{}\n",
    predictions="{}\n",
)
LONG = {"max_steps": 40, "val_check_interval": 20}


def study(folder: Path, seed: int) -> tuple[Cluster, float, float, list[State]]:
    spec = toy_spec(trainer=LONG)
    specs = [replace(spec, seed=each) for each in range(6)]
    nodes = Cluster(3, TEMPLATE, Random(seed))
    took, own, runs = simulate(specs, folder, nodes)
    return nodes, took, own, [run.state for run in runs]


def test_every_run_is_done_once_whatever_becomes_of_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulated, "NODE_HOURS", 0.02)
    nodes, took, own, states = study(tmp_path, 1)
    assert states == [State.DONE] * 6
    assert nodes.losses > 0
    assert [*nodes.written.values()] == [1] * 6
    assert 0 < own < took
    assert nodes.trained > 6 * 40 * 0.9


def test_chance_is_of_the_seed_alone(tmp_path: Path) -> None:
    nodes = [study(tmp_path / str(number), seed)[0] for number, seed in enumerate((1, 1, 2))]
    assert nodes[0].trained == nodes[1].trained != nodes[2].trained
