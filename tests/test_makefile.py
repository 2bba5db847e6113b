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


@pytest.mark.parametrize("target", ["digits", "digits-all", "librispeech", "wsj", *ABLATIONS])
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


@pytest.mark.parametrize("target", ["wsj", *ABLATIONS])
def test_each_experiment_of_section_4_1_has_a_target_at_both_scales(
    target: str, tmp_path: Path
) -> None:
    venv = f"VENV={tmp_path / 'venv'}"
    small = make("--dry-run", target, "SCALE=small", "SEEDS=0", venv).stdout.split()
    assert small[-4:] == ["run", f"experiments/{target}-small.yaml", "--seeds", "0"]
    paper = make("--dry-run", target, "DATA=disks", venv).stdout
    assert f"run experiments/{target}.yaml --set 'data.folder=disks'" in paper
    assert (PROJECT / f"experiments/{target}-small.yaml").is_file()
    assert (PROJECT / f"experiments/{target}.yaml").is_file()


def test_another_scale_is_refused() -> None:
    done = make("wsj", "SCALE=large")
    assert done.returncode == 2
    assert "SCALE is large: it can be small" in done.stderr


def test_help_lists_every_target_with_a_line() -> None:
    lines = [line.split(maxsplit=2) for line in make().stdout.splitlines()]
    assert all(len(words) == 3 and words[0] == "make" for words in lines)
    targets = {words[1] for words in lines}
    assert {"demo", "test", "wsj", "librispeech", *ABLATIONS} <= targets


@pytest.mark.parametrize("target", ["librispeech", "digits", "digits-all", "demo"])
def test_a_scale_is_refused_where_there_is_but_one(target: str) -> None:
    done = make(target, "SCALE=small", "DATA=folder", "--dry-run")
    assert done.returncode == 2
    assert f"SCALE is for wsj and the ablations: leave it out of make {target}" in done.stderr


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
