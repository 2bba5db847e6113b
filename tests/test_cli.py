"""The command line, from a first look to a report."""

import json
import os
import pty
import pwd
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from experiment.running import TOY, write_toy

from mocha_lightning import __version__
from mocha_lightning.cli import main

Command = Callable[..., "Ended"]
ExperimentFile = Callable[..., Path]


class Ended:
    """How a command ended and what it said."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Give a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def give(*words: str) -> Ended:
        with pytest.raises(SystemExit) as caught:
            main(words)
        said = capsys.readouterr()
        return Ended(int(caught.value.code or 0), said.out, said.err)

    return give


@pytest.fixture
def toy_file(tmp_path: Path) -> ExperimentFile:
    """Write the toy experiment with some of its keys replaced."""
    return partial(write_toy, tmp_path)


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
    import shutil

    full = shutil.disk_usage("/")._replace(free=1 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    ended = command("run", str(toy_file()))
    assert ended.code == 2
    assert (
        "1 MiB are free and the 4 runs need about 80 more (2 checkpoints each, of up to 1 MiB"
        in ended.err
    )


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


def test_no_command_at_all_is_answered_by_the_help(command: Command) -> None:
    ended = command()
    assert ended.code == 2
    for name in ("run", "status", "report"):
        assert f" {name} " in ended.err
    assert "error" not in ended.err


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


def test_a_seed_that_pytorch_cannot_take_is_refused(command: Command) -> None:
    ended = command("schematic", "--seed", str(2**63))
    assert ended.code == 2
    assert ended.err.startswith("error: --seed: must be 9,223,372,036,854,775,807 at most, not 9")


def test_a_reader_that_goes_away_is_no_failure(toy_file: ExperimentFile) -> None:
    file = toy_file()
    reading, writing = os.pipe()
    os.close(reading)
    ended = outside(["status", str(file)], file.parent, stdout=writing)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


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


def test_that_libraries_are_loaded_is_said_to_a_terminal_alone(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    words = ["prepare", toy_file().name]
    assert b"Loading" not in outside(words, tmp_path, stdout=subprocess.DEVNULL).stderr
    terminal, end = pty.openpty()
    with open(terminal, "rb", buffering=0) as reader:  # noqa: PTH123
        subprocess.run(
            [sys.executable, "-m", "mocha_lightning", *words],
            cwd=tmp_path,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=end,
        )
        assert reader.read(99).splitlines()[0] == b"Loading libraries"
    os.close(end)
