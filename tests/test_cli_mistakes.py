"""Mistakes in what is given to a command: a line, and nothing begun."""

import os
import pwd
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import Command, ExperimentFile


@pytest.mark.parametrize(
    ("changes", "words", "said"),
    [
        ({"seeds": [0, 0]}, [], "toy.yaml:"),
        ({}, ["--set", "task.hidden"], "--set task.hidden: has no value: write KEY=VALUE"),
        ({}, ["--set", "task.hidden=[1"], "--set task.hidden=[1: the value is not YAML"),
        ({}, ["--set", "task.hiden=3"], "did you mean hidden?"),
        ({}, ["--variants", "nois"], "--variants: no variant is named 'nois'"),
        ({}, ["--jobs", "0"], "error: --jobs: must be a whole number above 0, not 0"),
        ({}, ["--jobs", "1.5"], "error: --jobs: must be a whole number above 0, not 1.5"),
        ({}, ["--jobs", "null"], "error: --jobs: must be a whole number above 0, not null"),
        ({}, ["--jobs", ""], "error: --jobs: must be a whole number above 0, not empty"),
        ({}, ["--jobs"], "error: --jobs: expected one argument"),
        ({}, ["--seeds", "-1"], "error: --seeds: must be a whole number of at least 0, not -1"),
        ({}, ["--seeds", "0", "x"], "error: --seeds: must be a whole number of at least 0, not x"),
        ({}, ["--seeds"], "error: --seeds: expected at least one argument"),
        ({}, ["--seeds", "3", "3"], "error: --seeds: 3 is there twice"),
        ({}, ["--name", "a/b"], "error: --name: 'a/b' cannot name a folder"),
        ({}, ["--wandb", "maybe"], "error: --wandb: invalid choice: 'maybe' (choose from 'auto'"),
        (
            {},
            ["--wandb", "ofline"],
            "error: --wandb: invalid choice: 'ofline': did you mean offline",
        ),
        (
            {},
            ["--wandb-project", "a\nb"],
            r"error: --wandb-project: must be a name of 128 characters at most, all of them to be "
            r"seen, not 'a\nb'",
        ),
        (
            {},
            ["--wandb-project", "a/b"],
            r"error: --wandb-project: must be a name without / \ # ? % :, not a/b",
        ),
        ({}, ["--wandb-entity", ""], "error: --wandb-entity: must be a name without"),
        ({}, ["--runs", ""], "error: --runs: must not be empty"),
        ({}, ["--reports", ""], "error: --reports: must not be empty"),
        (
            {"metric": {"name": "test/none", "mode": "min"}},
            [],
            "ToyTask has no score test/none: choose among test/error",
        ),
        ({}, ["--colour"], "error: unrecognized arguments: --colour"),
        # What a constructor refuses is found before any run.
        (
            {"data": {"class_path": "experiment.toy.ToyData", "init_args": {"size": 0}}},
            [],
            "data.size (variant plain): size must be at least 1, not 0",
        ),
        (
            {
                "variants": {
                    "a": {
                        "task.mechanism": {
                            "class_path": "experiment.toy.Mechanism",
                            "init_args": {"gain": -1},
                        }
                    }
                },
                "comparisons": [],
            },
            [],
            "variants.a.task.mechanism.gain: gain must be positive, not -1.0",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    toy_file: ExperimentFile,
    command: Command,
    changes: dict[str, Any],
    words: list[str],
    said: str,
) -> None:
    ended = command("run", str(toy_file(**changes)), *words)
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert "Parser" not in ended.err
    assert not Path("runs").exists()


def test_a_place_that_cannot_be_written_to_is_said_before_any_run(
    toy_file: ExperimentFile, command: Command, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    ended = command("run", str(toy_file()), "--runs", "file")
    assert ended.code == 2
    assert ended.err == "error: file: cannot be written to: choose another folder with --runs\n"


@pytest.mark.parametrize("target", ["not-mounted", "link"])
def test_a_link_to_nowhere_is_no_place_to_write_to(
    toy_file: ExperimentFile, command: Command, target: str
) -> None:
    Path("link").symlink_to(target)
    for option in ("--runs", "--reports"):
        ended = command("run", str(toy_file()), option, "link/inner")
        assert ended.code == 2
        assert (
            ended.err == f"error: link: cannot be written to: choose another folder with {option}\n"
        )


LONG = 300 * "x"


@pytest.mark.parametrize(
    "words",
    [
        ["run", "toy.yaml", "--runs", LONG],
        ["run", "toy.yaml", "--reports", LONG],
        ["status", LONG],
        ["report", "toy", "--runs", LONG],
        ["index", "--runs", LONG],
        ["index", "--reports", LONG],
        ["compare", LONG, "a", "b"],
        ["evaluate", LONG],
        ["evaluate", "--predictions", LONG],
        ["rerun", LONG],
        ["parameters", LONG],
        ["schematic", "--reports", LONG],
    ],
    ids=lambda words: " ".join(words).replace(LONG, "..."),
)
def test_a_name_that_no_file_can_have_is_said_in_one_line(
    toy_file: ExperimentFile, command: Command, words: list[str]
) -> None:
    toy_file()
    ended = command(*words)
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1


def test_reports_that_cannot_be_written_are_said_before_any_run(
    toy_file: ExperimentFile, command: Command, tmp_path: Path
) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "toy").touch()
    for reports, place in (("reports", "reports/toy"), ("toy.yaml/inner", "toy.yaml")):
        ended = command("run", str(toy_file()), "--reports", reports)
        assert ended.code == 2
        assert ended.err == (
            f"error: {place}: cannot be written to: choose another folder with --reports\n"
        )
        assert not Path("runs").exists()


def test_a_command_without_its_experiment_asks_for_it(command: Command) -> None:
    ended = command("run")
    assert ended.code == 2
    assert ended.err == "error: the following arguments are required: experiment (see --help)\n"


def test_a_full_disk_is_said_before_any_run(
    toy_file: ExperimentFile, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:

    full = shutil.disk_usage("/")._replace(free=1 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    ended = command("run", str(toy_file()))
    assert ended.code == 2
    assert (
        "1 MiB are free and the 4 runs need about 80 more (2 checkpoints each, of up to 1 MiB"
        in ended.err
    )


def test_a_folder_in_the_place_of_a_file_is_said_in_one_line(
    toy_file: ExperimentFile, command: Command
) -> None:
    Path("runs/toy/experiment.yaml").mkdir(parents=True)
    ended = command("run", str(toy_file()), "--wandb", "disabled")
    assert ended.code == 2
    assert ended.err == (
        "error: runs/toy/experiment.yaml: Is a directory: mend that, or choose another place\n"
    )


@pytest.mark.parametrize(
    "words", [["status", ""], ["report", ""], ["aa", ""], ["rerun", ""], ["rerun", ".", "--to", ""]]
)
def test_an_empty_name_is_a_variable_that_was_not_set(command: Command, words: list[str]) -> None:
    ended = command(*words)
    assert ended.code == 2
    assert re.fullmatch(r"error: \S+: must not be empty \(see --help\)\n", ended.err)


def test_a_seed_that_pytorch_cannot_take_is_refused(command: Command) -> None:
    ended = command("schematic", "--seed", str(2**63))
    assert ended.code == 2
    assert ended.err.startswith("error: --seed: must be 9,223,372,036,854,775,807 at most, not 9")


def test_without_a_home_folder_one_is_asked_for(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(number: int) -> None:
        raise KeyError(number)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    ended = command("status", "toy")
    assert ended.code == 2
    assert ended.err == (
        "error: there is no home folder: HOME is not set and the system knows no user "
        f"{os.getuid()}: set HOME to a folder that can be written to\n"
    )
