"""``benchmarks/preparing.py``."""

from pathlib import Path

import preparing
import pytest

from mocha_lightning.data.audio import read_audio

from .tables import number, read_table

FEW = ["--utterances", "4", "--seconds", "1", "--repetitions", "1"]


def tables(printed: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The one of preparing and the one of loading."""
    first, second = printed.split("Loading 8 utterances of 700 frames")
    return read_table(first), read_table(second)


def test_speeds_by_kind_of_file_and_times_of_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    preparing.main([*FEW, "--processes", "1", "2"])
    speeds, times = tables(capsys.readouterr().out)
    assert [row["audio"] for row in speeds] == ["FLAC", "WAV", "SPHERE"]
    for row in speeds:
        assert (row["files"], number(row["hours"])) == ("4", pytest.approx(4 / 3600, rel=0.01))
        assert min(number(row["1 process"]), number(row["2 processes"])) > 0
    read, pad, both = (number(row["ms"]) for row in times)
    assert 0 < max(read, pad) <= both


def test_the_made_files_hold_the_same_audio(tmp_path: Path) -> None:
    kinds = [files for _, files in preparing.made(tmp_path, 2, 1)]
    first, *others = [[read_audio(path, 16000) for path in files] for files in kinds]
    for other in others:
        assert all((mine == its).all() for mine, its in zip(first, other, strict=True))
    assert (first[0] != first[1]).any()


def test_files_of_a_folder_are_taken_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    preparing.write(tmp_path / "sounds", "FLAC", 3, 1)
    (tmp_path / "sounds" / "notes.txt").touch()
    preparing.main([*FEW, "--processes", "1", "--folder", str(tmp_path)])
    (row,), _ = tables(capsys.readouterr().out)
    assert (row["audio"], row["files"]) == ("folder", "3")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--utterances", "2"], "--utterances: three splits need three"),
        (["--folder", "nowhere"], "nowhere: holds 0 sound files of 16000 Hz, not 3"),
    ],
)
def test_too_few_files_are_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        preparing.main(words)
    assert caught.value.code == 2
    assert said in capsys.readouterr().err
