"""A command as a process: what it loads, and outputs that take nothing."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import Command, ExperimentFile
from experiment.running import TOY

from mocha_lightning import __version__


@pytest.mark.parametrize(
    "words", [["--help"], ["run", "--help"], ["prepare", "--help"], ["status", "toy"]]
)
def test_what_needs_no_torch_does_not_wait_for_it(words: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "toy"
    folder.mkdir(parents=True)
    (folder / "experiment.yaml").write_text(yaml.safe_dump(TOY))
    code = (
        "import json, sys\n"
        "from mocha_lightning.cli import main\n"
        "try:\n"
        f"    main({words})\n"
        "finally:\n"
        "    heavy = {'torch', 'pytorch_lightning', 'wandb', 'pandas', 'scipy', 'numpy'}\n"
        "    print(json.dumps(sorted(heavy & set(sys.modules))), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stderr) == []


def outside(words: list[str], folder: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Give a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "mocha_lightning", *words],
        cwd=folder,
        check=False,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_an_output_that_takes_nothing_is_said_in_one_line(toy_file: ExperimentFile) -> None:
    file = toy_file()
    with Path("/dev/full").open("wb") as full:
        ended = outside(["status", str(file)], file.parent, stdout=full)
    assert ended.returncode == 2
    assert ended.stderr.decode() == (
        "error: the output: No space left on device: make room or give access, or "
        "choose another place\n"
    )


def test_a_reader_that_goes_away_is_no_failure(toy_file: ExperimentFile) -> None:
    file = toy_file()
    reading, writing = os.pipe()
    os.close(reading)
    ended = outside(["status", str(file)], file.parent, stdout=writing)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_a_standard_error_that_is_closed_ends_no_command(toy_file: ExperimentFile) -> None:
    file = toy_file()
    words = [sys.executable, "-m", "mocha_lightning", "status", str(file)]
    shell = f"{shlex.join(words)} 2>&-"
    ended = subprocess.run(shell, cwd=file.parent, check=False, shell=True, capture_output=True)
    assert ended.returncode == 0
    missing = subprocess.run(
        shell.replace(str(file), "nothing.yaml"),
        cwd=file.parent,
        check=False,
        shell=True,
        capture_output=True,
    )
    # What is told on standard error is told to nobody, and not on standard output instead.
    assert (missing.returncode, missing.stdout) == (2, b"")


def test_what_the_output_cannot_encode_is_replaced(toy_file: ExperimentFile) -> None:
    file = toy_file().rename(toy_file().with_name("toyé.yaml"))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = outside(["status", file.name], file.parent, env=environment, stdout=subprocess.PIPE)
    assert ended.returncode == 0
    assert ended.stderr == b""
    assert b"runs/toy?: 4 runs" in ended.stdout


def test_python_m_is_the_same_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mocha_lightning", "--version"],
        cwd=tmp_path,
        env={**os.environ},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["mocha-lightning", __version__]


def test_that_libraries_are_loaded_is_said_in_the_log_of_a_run(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    dry = outside(["run", toy_file().name, "--dry-run"], tmp_path, stdout=subprocess.PIPE)
    assert dry.stdout.splitlines() == [b"Loading libraries"]
    assert dry.stderr.startswith(b"error: toy.yaml:2: task.class_path (variant plain): there is no")


@pytest.mark.parametrize("terminal", [True, False])
def test_that_libraries_are_loaded_is_said_to_a_terminal(
    terminal: bool,
    toy_file: ExperimentFile,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    said = command("prepare", toy_file().name).err
    assert said.startswith("Loading libraries\n") == terminal


def test_a_shell_completes_commands_and_options(tmp_path: Path) -> None:
    pytest.importorskip("shtab", reason="shtab is not installed (the extra completion)")
    printed = subprocess.run(
        [sys.executable, "-m", "mocha_lightning", "--print_completion=shtab-bash"],
        check=True,
        capture_output=True,
        text=True,
    )
    script = tmp_path / "completion"
    script.write_text(
        f"""{printed.stdout}
        offered() {{
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            $(complete -p mocha-lightning | sed 's/.*-F //; s/ .*//') "$1" "${{!#}}"
            echo "${{COMPREPLY[*]}}"
        }}
        offered mocha-lightning sta
        offered mocha-lightning run --exec
        offered mocha-lightning run --executor s
        """
    )
    found = subprocess.run(["bash", script], check=True, capture_output=True, text=True)
    assert found.stdout.split("\n")[:3] == ["status", "--executor", "serial slurm"]
