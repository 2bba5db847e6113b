"""The command, from a sweep's file to its report."""

import json
from pathlib import Path

from commands import Command

from .conftest import SweepFile


def test_a_sweep_ends_with_its_report_and_the_best_as_an_experiment(
    sweep_file: SweepFile, command: Command
) -> None:
    file = str(sweep_file())
    dry = command("sweep", file, "--wandb", "disabled", "--dry-run")
    assert (dry.code, dry.err) == (0, "")
    assert "3 trials (TPESampler), 0 over, in runs/rate" in dry.out
    assert not Path("runs").exists()
    assert not Path("reports").exists()

    status = command("status", file)
    assert (status.code, status.err) == (0, "")
    assert "runs/rate: no trial begun yet: begin with `mocha-lightning sweep" in status.out
    begin = json.loads(command("status", file, "--json").out)
    assert begin["begun"] == []
    assert begin["go_on"].startswith("mocha-lightning sweep ")

    done = command("sweep", file, "--wandb", "disabled", "--reports", "elsewhere")
    assert done.code == 0
    assert "The best of 3 complete settings is learning_rate = " in done.out
    assert "`mocha-lightning run runs/rate/best.yaml`" in done.out
    assert done.out.rstrip().endswith("Runs: runs/rate. Report: elsewhere/rate/index.html")
    written = {path.name for path in Path("elsewhere/rate").iterdir()}
    assert written == {"index.html", "table.md", "trials.csv", "results.json", "figures"}

    status = command("status", "rate")
    assert (status.code, status.err) == (0, "")
    assert "runs/rate: 3 trials: 3 complete, 0 waiting" in status.out
    told = json.loads(command("status", "rate", "--json").out)
    assert [trial["state"] for trial in told["begun"]] == ["complete"] * 3
    assert told["best"]["value"] == min(trial["value"] for trial in told["begun"])
    assert (told["waiting"], told["go_on"]) == (0, None)

    again = command("report", "rate", "--reports", "elsewhere")
    assert (again.code, again.err) == (0, "")
    assert "The best of 3 complete settings" in again.out

    tried = command("run", "runs/rate/best.yaml", "--dry-run")
    assert (tried.code, tried.err) == (0, "")
    assert "rate-best: 16 runs of 20 steps (seeds 2, 3, 4, 5, 6, 7, 8, 9)" in tried.out


def test_a_trial_that_fails_is_named_and_the_exit_code_is_1(
    sweep_file: SweepFile, command: Command
) -> None:
    file = str(sweep_file(set={"task.fail_at": 3}, trials=1, seeds=[0]))
    ended = command("sweep", file, "--wandb", "disabled")
    assert ended.code == 1
    assert "trial-0000 seed 0 failed: exit code 1: RuntimeError: the toy was told" in ended.out
    assert "No setting is complete yet: there is no best one." in ended.out
    assert not Path("runs/rate/best.yaml").exists()


def test_an_experiment_of_a_sweeps_name_is_refused(sweep_file: SweepFile, command: Command) -> None:
    sweep_file()
    Path("runs/toy").mkdir(parents=True)
    Path("runs/toy/sweep.yaml").touch()
    ended = command("run", "toy.yaml", "--wandb", "disabled")
    assert ended.code == 2
    assert ended.err.endswith(
        "error: runs/toy: is of a sweep: give the experiment another name (--name)\n"
    )


def test_a_dashboard_of_a_sweep_is_refused_with_what_there_is_instead(command: Command) -> None:
    Path("runs/rate").mkdir(parents=True)
    Path("runs/rate/sweep.yaml").touch()
    ended = command("dashboard", "rate", "--offline")
    assert ended.code == 2
    assert ended.err.startswith("error: runs/rate: is of a sweep, and a dashboard is of")
