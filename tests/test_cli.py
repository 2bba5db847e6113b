"""The command line, from a first look to a report."""

import json
import re
import shutil
from pathlib import Path

import pytest
from commands import Command, ExperimentFile
from experiment.running import TOY

from mocha_lightning import __version__


def test_a_run_prints_the_differences_the_report_and_where_all_lies(
    toy_file: ExperimentFile, command: Command
) -> None:
    file = str(toy_file(seeds=[0, 1]))
    dry = command("run", file, "--wandb", "disabled", "--dry-run")
    assert dry.code == 0
    assert dry.err == ""
    assert re.search(r"noisy +task\.mechanism: Noisy\(\) +32", dry.out)
    assert "toy: 4 runs of 20 steps (seeds 0, 1), 0 done, 4 to do, in runs/toy" in dry.out
    assert not Path("runs").exists()

    first = command(
        *("run", file, "--wandb", "disabled", "--jobs", "1"),
        *("--variants", "plain", "--seeds", "0", "1"),
    )
    assert first.code == 0
    assert "[2/2] plain seed 1: done" in first.out
    assert "toy: 2 runs of 20 steps (seeds 0, 1; 1 of 2 variants left out), 0 done" in first.out
    assert "task.mechanism: Mechanism()" in first.out
    assert "task.mechanism: Noisy()" not in first.out
    assert "INCOMPLETE: 2 of 4 runs are missing: noisy seeds 0, 1" in first.out
    assert "; go on by `mocha-lightning run runs/toy/experiment.yaml`" in (
        command("status", "toy").out
    )
    told = json.loads(command("status", "toy", "--json").out)
    states = {(run["variant"], run["seed"]): run["state"] for run in told["runs"]}
    assert (states["plain", 1], states["noisy", 1]) == ("done", "not begun")
    assert told["go_on"].startswith("mocha-lightning run runs/toy/experiment.yaml")

    second = command("run", file, "--wandb", "disabled", "--jobs", "2")
    assert second.code == 0
    assert "4 runs of 20 steps (seeds 0, 1), 2 done, 2 to do" in second.out
    assert "plain seed 0: done" not in second.out
    assert "INCOMPLETE" not in second.out
    assert "noisy - plain" in second.out
    assert second.out.rstrip().endswith("Runs: runs/toy. Report: reports/toy/index.html")
    reports = Path("reports/toy")
    assert {"index.html", "table.md", "table.tex", "table.csv", "curves.csv"} <= {
        path.name for path in reports.iterdir()
    }

    again = command("report", "runs/toy")
    assert again.code == 0
    assert "noisy - plain" in again.out

    changed = command("run", file, "--wandb", "disabled", "--set", "task.hidden=5")
    assert changed.code == 2
    assert "4 of 4 runs were begun with another configuration" in changed.err
    assert "task.hidden was 4 and is 5" in changed.err


def test_a_failed_run_is_named_and_the_exit_code_is_1(
    toy_file: ExperimentFile, command: Command
) -> None:
    variants = {
        **TOY["variants"],
        "noisy": {"task.mechanism": TOY["variants"]["noisy"]["task.mechanism"], "task.fail_at": 3},
    }
    file = str(toy_file(seeds=[0], variants=variants))
    ended = command("run", file, "--wandb", "disabled", "--jobs", "2")
    assert ended.code == 1
    assert "noisy seed 0 failed: exit code 1: RuntimeError: the toy was told to fail" in ended.out
    assert "INCOMPLETE: 1 of 2 runs are missing: noisy seed 0" in ended.out
    assert "runs/toy/noisy/seed-0/log.txt" in ended.out


def test_old_runs_are_left_alone_where_only_what_is_missing_is_asked_for(
    toy_file: ExperimentFile, command: Command, tmp_path: Path
) -> None:
    variants = {"plain": TOY["variants"]["plain"]}
    words = ["--wandb", "disabled", "--seeds", "0"]
    assert command("run", str(toy_file(variants=variants, comparisons=[])), *words).code == 0
    old = tmp_path / "runs/toy/plain/seed-0/result.json"
    before = old.read_bytes()
    task = {**TOY["task"], "init_args": {"learning_rate": 0.01}}
    file = str(toy_file(variants=variants, comparisons=[], task=task))
    refused = command("run", file, *words, "1")
    assert refused.code == 2
    assert "1 of 2 runs were begun with another configuration (plain seed 0; the first: " in (
        refused.err
    )
    mixed = command("run", file, *words, "1", "--only-missing")
    assert (
        "1 of another configuration left as they are (plain seed 0; the first: "
        "task.learning_rate was 0.05 and is 0.01)"
    ) in mixed.out
    assert old.read_bytes() == before
    assert (tmp_path / "runs/toy/plain/seed-1/result.json").exists()
    # Two configurations have no mean.
    assert mixed.code == 2
    assert "such runs cannot share a mean" in mixed.err


def test_the_status_of_an_experiment_that_has_not_begun_is_told_from_its_file(
    toy_file: ExperimentFile, command: Command
) -> None:
    ended = command("status", str(toy_file()))
    assert ended.code == 0
    assert "runs/toy: 4 runs: no run begun yet: begin with `mocha-lightning run" in ended.out
    ended = command("status", "toy")
    assert ended.code == 2
    assert ended.err.startswith("error: runs/toy: no experiment was begun there: begin it with")
    assert ended.err.count("\n") == 1


def test_an_experiment_that_is_not_there_is_said_so(command: Command) -> None:
    for words in (["run", "none.yaml"], ["status", "none"], ["report", "none"]):
        ended = command(*words)
        assert ended.code == 2
        assert ended.err.startswith("error: ")
        assert "none" in ended.err


def test_the_version_and_the_commands_are_told(command: Command) -> None:
    assert command("--version").out.split() == ["mocha-lightning", __version__]
    told = command("--help")
    assert told.code == 0
    for name in ("run", "prepare", "status", "report", "speed"):
        assert f" {name} " in told.out
    told = command("run", "--help")
    assert "the folder of all runs (default: runs)" in told.out
    assert "type:" not in told.out


def test_no_command_at_all_is_answered_by_the_help(command: Command) -> None:
    ended = command()
    assert ended.code == 2
    for name in ("run", "status", "report"):
        assert f" {name} " in ended.err
    assert "error" not in ended.err


def test_a_folder_of_that_name_which_is_no_experiment_hides_none(
    toy_file: ExperimentFile, command: Command
) -> None:
    toy_file(name="tests").rename("tests.yaml")
    Path("tests").mkdir()
    Path("runs/tests").mkdir(parents=True)
    shutil.copy("tests.yaml", "runs/tests/experiment.yaml")
    assert command("status", "tests").out.splitlines()[-1].startswith("runs/tests: 4 runs")
    # A path is meant as it is given.
    Path("elsewhere/tests").mkdir(parents=True)
    assert command("status", "elsewhere/tests").err.startswith("error: elsewhere/tests: no exp")
    # Where it is one, it is the nearer.
    shutil.copy("tests.yaml", "tests/experiment.yaml")
    assert command("status", "tests").out.splitlines()[-1].startswith("tests: 4 runs")


def test_printed_figures_and_a_run_s_variants_are_compared(
    toy_file: ExperimentFile, command: Command
) -> None:
    said = command("compare", "--from-summary", "14.6", "0.3", "8", "15.0", "0.6", "8")
    assert said.code == 0
    assert "no significant difference between the first and the second" in said.out
    assert "p = 0.11" in said.out
    command("run", str(toy_file(seeds=[0, 1])), "--wandb", "disabled")
    of_runs = command("compare", "toy", *TOY["variants"], "--json")
    assert of_runs.code == 0
    assert json.loads(of_runs.out)["unpaired"]["n_a"] == 2


@pytest.mark.parametrize("mean", ["-1e-3", "-.5E+2", "-2.", "-1.5e3"])
def test_a_negative_number_is_none_of_the_options(mean: str, command: Command) -> None:
    said = command("compare", "--from-summary", mean, "0.3", "8", "15", "1e-1", "8", "--json")
    assert json.loads(said.out)["unpaired"]["mean_a"] == float(mean)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("demo", "soft"), "name an experiment and two of its variants"),
        (("demo", "a", "b", "--from-summary", *"123123"), "and nothing else of runs"),
        (("--from-summary", *"123", "1", "2", "2.5"), "must be whole, not 2.5"),
        (("--from-summary", *"12"), "expected 6 arguments"),
        (("--from-summary", *"12", "nan", *"123"), "--from-summary: must be a number, not nan"),
        (("--from-summary", "1e999", *"23123"), "--from-summary: must be a number, not 1e999"),
        (("x" * 300, "a", "b"), "x: File name too long: name an experiment"),
        (("nothing", "a", "b"), "no experiment was begun here"),
    ],
)
def test_a_comparison_of_what_is_not_there_is_a_line(
    words: tuple[str, ...], said: str, command: Command
) -> None:
    ended = command("compare", *words)
    assert ended.code == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_a_finished_run_is_done_again_and_is_the_same(
    toy_file: ExperimentFile, command: Command
) -> None:
    command("run", str(toy_file(seeds=[0])), "--wandb", "disabled")
    again = command("rerun", "runs/toy/plain/seed-0")
    assert again.code == 0
    assert "toy, plain seed 0: repeated to the last bit (scores, predictions, weights)" in again.out
    # A copy may be without its checkpoints.
    shutil.copytree("runs", "copies", ignore=shutil.ignore_patterns("*.ckpt"))
    again = command("rerun", "copies/toy/plain/seed-0")
    assert "plain seed 0: repeated to the last bit (scores, predictions)\n" in again.out
    assert "not compared: weights, which copies/toy/plain/seed-0 lacks" in again.out
    assert Path("reruns/toy/plain/seed-0/result.json").exists()
    # A result that is not what the run gives is found out.
    path = Path("runs/toy/plain/seed-0/result.json")
    content = json.loads(path.read_text())
    content["metrics"]["test/error"]["value"] += 1
    path.write_text(json.dumps(content))
    found_out = command("rerun", "runs/toy/plain/seed-0")
    assert found_out.code == 1
    assert "differs: test/error: " in found_out.out
    missing = command("rerun", "runs/toy/plain/seed-7")
    assert missing.code == 2
    assert missing.err.count("\n") == 1
