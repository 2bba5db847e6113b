"""What ``make`` says before it does anything."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
ABLATIONS = [
    f"ablation-{what}" for what in ("chunk-size", "energy-dim", "receptive-field", "offset")
]
PAPER_SIZE = ["wsj", *ABLATIONS, "matcha"]


def make(*words: str) -> subprocess.CompletedProcess[str]:
    # The tests may be run by make themselves; what it tells those it calls is not for this one.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    environment.pop("MFLAGS", None)
    return subprocess.run(
        ["make", *words],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("target", ["digits", "digits-all", "librispeech", *PAPER_SIZE])
def test_what_needs_data_is_refused_without_before_anything_is_installed(
    target: str, tmp_path: Path
) -> None:
    done = make(target, f"VENV={tmp_path / 'venv'}")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == (
        f"error: {target} needs data: make {target} DATA=folder (make help says of what)"
    )
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize("python", ["", "/tmp", "/bin/true", "nopy"])
def test_what_is_no_python_is_refused_in_a_line(python: str, tmp_path: Path) -> None:
    done = make("setup", f"VENV={tmp_path / 'venv'}", f"PYTHON={python}")
    said, ended = done.stderr.splitlines()
    assert said.startswith("error: ")
    assert "Python 3.11 or newer" in said
    assert said.endswith("make PYTHON=...")
    assert ended.endswith("Error 2")
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize("target", PAPER_SIZE)
def test_each_experiment_on_speech_has_a_target_at_both_scales(target: str, tmp_path: Path) -> None:
    venv = f"VENV={tmp_path / 'venv'}"
    small = make("--dry-run", target, "SCALE=small", "SEEDS=0", venv).stdout.split()
    assert small[-4:] == ["run", f"experiments/{target}-small.yaml", "--seeds", "0"]
    paper = make("--dry-run", target, "DATA=disks", venv).stdout
    assert f"run experiments/{target}.yaml --set 'data.folder=disks'" in paper
    assert (PROJECT / f"experiments/{target}-small.yaml").is_file()
    assert (PROJECT / f"experiments/{target}.yaml").is_file()


def commands(*words: str) -> list[list[str]]:
    """What make would run, a list of words a line."""
    return [shlex.split(line) for line in make("--dry-run", *words).stdout.splitlines()]


@pytest.mark.parametrize("target", ["noise", "reordering", "documentation"])
def test_experiments_whose_data_are_made_or_installed_need_none(
    target: str, tmp_path: Path
) -> None:
    last = commands(target, "SEEDS=0 1", "JOBS=1", f"VENV={tmp_path / 'venv'}")[-1]
    run = ["run", f"experiments/{target}.yaml", "--jobs", "1", "--seeds", "0", "1"]
    assert last[1:] == run
    assert (PROJECT / f"experiments/{target}.yaml").is_file()


def test_table_2_is_read_from_the_hub_or_a_folder(tmp_path: Path) -> None:
    venv = f"VENV={tmp_path / 'venv'}"
    paper = ["run", "experiments/cnn_dailymail.yaml"]
    assert commands("cnn_dailymail", venv)[-1][1:] == paper
    given = commands("cnn_dailymail", "DATA=the news", "SET=data.tokenised=true", venv)[-1][1:]
    assert given == [*paper, "--set", "data.source=the news", "--set", "data.tokenised=true"]


def test_the_small_table_2_is_of_documentation_or_of_a_folder_of_news(tmp_path: Path) -> None:
    venv = f"VENV={tmp_path / 'venv'}"
    small = ["run", "experiments/cnn_dailymail-small.yaml"]
    assert commands("cnn_dailymail", "SCALE=small", venv)[-1][1:] == small
    given = commands("cnn_dailymail", "SCALE=small", "DATA=the news", venv)[-1][1:]
    news = "data.class_path=mocha_lightning.data.CnnDailyMail"
    assert given == [*small, "--set", news, "data.source=the news"]


@pytest.mark.parametrize(
    ("words", "installs"),
    [
        (["documentation"], True),
        (["cnn_dailymail", "SCALE=small"], True),
        (["cnn_dailymail", "SCALE=small", "DATA=news"], False),
        (["cnn_dailymail"], False),
        (["reordering"], False),
    ],
)
def test_the_documentation_is_installed_once_where_it_is_read(
    words: list[str], installs: bool, tmp_path: Path
) -> None:
    (tmp_path / ".ready").touch()
    venv = f"VENV={tmp_path}"
    assert any(".[docs]" in line for line in commands(*words, venv)) == installs
    (tmp_path / ".docs").touch()
    assert len(commands(*words, venv)) == 1


def test_a_dashboard_installs_what_makes_it_once(tmp_path: Path) -> None:
    (tmp_path / ".ready").touch()
    venv = f"VENV={tmp_path}"
    assert any(".[dashboards]" in line for line in commands("dashboard", venv))
    (tmp_path / ".dashboards").touch()
    (made,) = commands("dashboard", "EXPERIMENT=digits", venv)
    assert made[1:] == ["dashboard", "digits"]
    (written,) = commands("dashboard", "OFFLINE=1", venv)
    assert written[1:] == ["dashboard", "demo", "--offline"]


def test_the_viewer_takes_the_experiment(tmp_path: Path) -> None:
    (tmp_path / ".ready").touch()
    (view,) = commands("view", "EXPERIMENT=digits", f"VENV={tmp_path}")
    assert view[1:] == ["view", "digits"]


@pytest.mark.parametrize("task", ["speech", "summarization"])
def test_each_task_is_tuned_at_both_scales_with_a_sweep_for_each_mechanism(
    task: str, tmp_path: Path
) -> None:
    (tmp_path / ".ready").touch()
    (tmp_path / ".docs").touch()
    venv = f"VENV={tmp_path}"
    small = commands(f"sweep-{task}", "SCALE=small", "JOBS=1", "TRIALS=4", venv)
    files = [f"sweeps/{task}-{mechanism}-small.yaml" for mechanism in ("mocha", "monotonic")]
    assert [words[1:] for words in small] == [
        ["sweep", file, "--jobs", "1", "--trials", "4"] for file in files
    ]
    paper = commands(f"sweep-{task}", "DATA=the data", venv)
    where = {"speech": "data.folder", "summarization": "data.source"}[task]
    files += [file.replace("-small", "") for file in files]
    assert [words[1:] for words in paper] == [
        ["sweep", file, "--set", f"{where}=the data"] for file in files[2:]
    ]
    assert all((PROJECT / file).is_file() for file in files)


def test_every_r_and_every_w_are_tried_by_themselves(tmp_path: Path) -> None:
    (tmp_path / ".ready").touch()
    tried = commands("sweep-grids", "JOBS=1", f"VENV={tmp_path}")
    files = [f"sweeps/speech-{number}-small.yaml" for number in ("offset", "chunk-size")]
    assert [words[1:] for words in tried] == [["sweep", file, "--jobs", "1"] for file in files]
    assert all((PROJECT / file).is_file() for file in files)


def test_a_sweep_on_speech_at_the_papers_size_needs_data() -> None:
    done = make("sweep-speech")
    assert done.returncode == 2
    assert "error: sweep-speech needs data" in done.stderr


def test_a_study_is_shown_in_a_browser_where_there_is_one(tmp_path: Path) -> None:
    (tmp_path / ".ready").touch()
    venv = f"VENV={tmp_path}"
    done = make("optuna-dashboard", "SWEEP=none", venv)
    assert done.returncode == 2
    assert "error: runs/none has no study: name a sweep (SWEEP=)" in done.stderr
    url = "STORAGE=postgresql://host/studies?a=1&b=2"
    assert any(".[optuna-dashboard]" in line for line in commands("optuna-dashboard", url, venv))
    (tmp_path / ".optuna-dashboard").touch()
    (shown,) = commands("optuna-dashboard", url, venv)
    assert shown[1:] == ["postgresql://host/studies?a=1&b=2"]


def test_figure_1_and_parameters_need_a_command_and_nothing_else(tmp_path: Path) -> None:
    venv = f"VENV={tmp_path / 'venv'}"
    assert commands("schematic", venv)[-1][1:] == ["schematic"]
    files = ["experiments/wsj.yaml", "experiments/cnn_dailymail.yaml"]
    assert commands("parameters", venv)[-1][1:] == ["parameters", *files]


def test_another_scale_is_refused() -> None:
    done = make("wsj", "SCALE=large")
    assert done.returncode == 2
    assert "SCALE is large: it can be small" in done.stderr


def test_help_lists_every_target_with_a_line() -> None:
    lines = [line.split(maxsplit=2) for line in make().stdout.splitlines()]
    assert all(len(words) == 3 and words[0] == "make" for words in lines)
    targets = {words[1] for words in lines}
    assert {"demo", "test", "wsj", "librispeech", *ABLATIONS} <= targets
    assert {"matcha", "noise", "reordering", "documentation", "cnn_dailymail"} <= targets
    assert {"parameters", "schematic", "speed"} <= targets
    assert {"sweep-speech", "sweep-summarization", "optuna-dashboard"} <= targets
    assert {"sync", "dashboard", "view"} <= targets


@pytest.mark.parametrize("target", ["librispeech", "digits", "digits-all", "demo", "noise"])
def test_a_scale_is_refused_where_there_is_but_one(target: str) -> None:
    done = make(target, "SCALE=small", "DATA=folder", "--dry-run")
    assert done.returncode == 2
    assert "cnn_dailymail, sweep-speech and sweep-summarization: leave it out" in done.stderr
    assert f"leave it out of make {target}." in done.stderr


@pytest.mark.parametrize("name", ["it's here", "'", 'a "b"', "a'b'c"])
@pytest.mark.parametrize("target", ["digits", "wsj"])
def test_a_folder_with_quotes_in_its_name_is_that_folder(
    target: str, name: str, tmp_path: Path
) -> None:
    done = make("--dry-run", target, f"DATA={name}", f"VENV={tmp_path / 'venv'}")
    *_, command = done.stdout.splitlines()
    words = shlex.split(command)
    assert words[words.index("--set") + 1] == f"data.folder={name}"


def test_a_folder_with_a_space_in_its_name_stays_one_word(tmp_path: Path) -> None:
    done = make("--dry-run", "digits", "DATA=my digits", f"VENV={tmp_path / 'venv'}")
    assert done.returncode == 0
    assert "--set 'data.folder=my digits'" in done.stdout


STUB = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
case "$*" in *{failing}*) exit 1;; esac
"""
REPRODUCED = ["documentation", "reordering", "noise"]


@pytest.mark.parametrize(
    ("words", "speech", "table_2"),
    [
        (["SCALE=small"], "-small.yaml", "run experiments/cnn_dailymail-small.yaml"),
        (
            ["SCALE=paper", "DATA=the disks", "NEWS=the news"],
            ".yaml --set data.folder=the disks",
            "run experiments/cnn_dailymail.yaml --set data.source=the news",
        ),
    ],
)
def test_everything_is_reproduced_and_what_fails_keeps_nothing_else_from_it(
    words: list[str], speech: str, table_2: str, tmp_path: Path
) -> None:
    venv, log = tmp_path / "venv", tmp_path / "log"
    (venv / "bin").mkdir(parents=True)
    command = venv / "bin/mocha-lightning"
    command.write_text(STUB.format(log=log, failing="ablation-offset"))
    command.chmod(0o755)
    for stamp in (".ready", ".docs"):
        (venv / stamp).touch()
    done = make("reproduce", *words, f"VENV={venv}")
    assert done.returncode == 2
    assert log.read_text().splitlines() == [
        *(f"run experiments/{each}{speech}" for each in PAPER_SIZE),
        table_2,
        *(f"run experiments/{each}.yaml" for each in REPRODUCED),
        "parameters experiments/wsj.yaml experiments/cnn_dailymail.yaml",
        *("schematic", "speed", "index"),
    ]


def test_a_scale_must_be_chosen_for_everything_and_the_papers_needs_data() -> None:
    assert "make reproduce SCALE=small (three hours on two cores), or SCALE=paper DATA=" in (
        make("reproduce").stderr
    )
    refused = make("reproduce", "SCALE=paper")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: reproduce needs data: make reproduce DATA=folder")


def test_names_are_compared_as_they_are_given(tmp_path: Path) -> None:
    venv = f"VENV={tmp_path / 'venv'}"
    words = ["compare", "EXPERIMENT=it's mine", "A=-x", "B=a, b", venv]
    assert commands(*words)[-1][1:] == ["compare", "--", "it's mine", "-x", "a, b"]
    assert commands("compare", "A=soft", venv)[-1][1:] == ["compare", "--", "demo", "soft"]
