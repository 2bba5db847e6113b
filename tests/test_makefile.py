"""What ``make`` says before it does anything."""

import os
import subprocess
from pathlib import Path

PROJECT = Path(__file__).parent.parent


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


def test_digits_without_their_folder_are_refused_before_anything_is_installed(
    tmp_path: Path,
) -> None:
    done = make("digits", f"VENV={tmp_path / 'venv'}")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == (
        "error: digits needs the folder of the Free Spoken Digit Dataset's wavs: "
        "make digits DATA=folder"
    )
    assert not (tmp_path / "venv").exists()


def test_a_folder_with_a_space_in_its_name_stays_one_word(tmp_path: Path) -> None:
    done = make("--dry-run", "digits", "DATA=my digits", f"VENV={tmp_path / 'venv'}")
    assert done.returncode == 0
    assert "--set 'data.folder=my digits'" in done.stdout
