"""What ``make`` says before it does anything."""

import subprocess
from pathlib import Path

PROJECT = Path(__file__).parent.parent


def test_digits_without_their_folder_are_refused_before_anything_is_installed(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        ["make", "digits", f"VENV={tmp_path / 'venv'}"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == (
        "error: digits needs the folder of the Free Spoken Digit Dataset's wavs: "
        "make digits DATA=folder"
    )
    assert not (tmp_path / "venv").exists()


def test_a_folder_with_a_space_in_its_name_stays_one_word(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "--dry-run", "digits", "DATA=my digits", f"VENV={tmp_path / 'venv'}"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--set 'data.folder=my digits'" in done.stdout
