"""``benchmarks/interruptions.py``, but for the commands that it gives: they take minutes."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from experiment.running import run_in_process, toy_spec
from interruptions import Place, children, differences, strike

from mocha_lightning.experiment.building import build_models
from mocha_lightning.experiment.definition import load_experiment

FAMILY = """
import subprocess, sys
run = "import time; time.sleep(60)"
server = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{run}'])"
sys.exit(subprocess.run([sys.executable, "-c", server]).returncode)
"""


def test_the_small_experiment_can_be_built(tmp_path: Path) -> None:
    experiment = load_experiment(Place(tmp_path, 60).file)
    assert list(build_models(experiment.variants, experiment.metric)) == ["soft", "mocha"]
    assert len(experiment.runs("cmd")) == 4


@pytest.mark.parametrize(("victim", "code"), [("the command", -9), ("all", -9), ("a run", 0)])
def test_the_blow_strikes_what_it_should(victim: str, code: int) -> None:
    """A command, whose child stands for the server of processes, and a child of that for a run."""
    with subprocess.Popen([sys.executable, "-c", FAMILY], process_group=0) as command:
        while not (runs := [run for each in children(command.pid) for run in children(each)]):
            time.sleep(0.02)
        assert strike(command, victim, random.Random(0)) == victim
        assert command.wait(180) == code
        if victim == "the command":
            assert lives(runs[0])
            os.kill(runs[0], signal.SIGKILL)
        deadline = time.monotonic() + 180
        while lives(runs[0]):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def lives(process: int) -> bool:
    """Whether it does, and is not only waiting to be counted as dead."""
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_one_other_bit_is_a_difference(tmp_path: Path) -> None:
    one, same, other = (tmp_path / name for name in ("one", "same", "other"))
    run_in_process(toy_spec(), one)
    shutil.copytree(one, same)
    assert differences(one, same) == []
    with (same / "curves.jsonl").open("a") as file:
        file.write(" ")
    assert differences(one, same) == ["curves.jsonl"]
    run_in_process(toy_spec(seed=1), other)
    assert "best.ckpt" in " ".join(differences(one, other))
