"""``mocha-lightning speed``."""

import json
from pathlib import Path

import pytest

from mocha_lightning import cli
from mocha_lightning.speed.mechanisms import Mechanism

TINY = ("--lengths", "4", "8", "--trials", "2", "--chunk-sizes", "1", "2", "--energy-dim", "8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def give(*words: str) -> int:
    with pytest.raises(SystemExit) as caught:
        cli.main(["speed", *words])
    return int(caught.value.code or 0)


def test_a_measurement_leaves_its_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert give(*TINY, "--seed", "3") == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in said[:-1]] == [
        "keys recomputed, T = U = 4",
        "keys recomputed, T = U = 8",
        "keys projected, T = U = 4",
        "keys projected, T = U = 8",
    ]
    assert said[-1] == "Report: reports/speed/table.md"
    results = json.loads(Path("reports/speed/results.json").read_text())
    assert results["settings"]["seed"] == 3
    assert results["settings"]["energy_dim"] == 8
    assert results["settings"]["memory_dim"] == 256
    assert results["provenance"]["command"].startswith("mocha-lightning speed --lengths 4 8")
    assert results["provenance"]["threads"] == 1
    assert {"numba", "scipy", "numpy"} <= results["provenance"]["versions"].keys()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--lengths", "0"], "--lengths: must be a whole number above 0, not 0"),
        (["--lengths"], "--lengths: expected at least one argument"),
        (["--lengths", "10", "20", "10"], "--lengths: 10 is there twice"),
        (["--chunk-sizes", "2", "2"], "--chunk-sizes: 2 is there twice"),
        (["--chunk-sizes", "-1"], "--chunk-sizes: must be a whole number above 0, not -1"),
        (["--trials", "many"], "--trials: must be a whole number above 0, not many"),
        (["--memory-dim", "0"], "--memory-dim: must be a whole number above 0, not 0"),
        (["--seed", "-1"], "--seed: must be a whole number of at least 0, not -1"),
        (["--colour"], "unrecognized arguments: --colour"),
        (["--lengths", "10000000000000"], "there is not enough memory for such lengths"),
        (["--reports", "file"], "file: cannot be written to: choose another folder with --reports"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").touch()
    assert give(*words) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {said}")
    assert error.count("\n") == 1
    assert not Path("reports").exists()


def test_ctrl_c_leaves_no_report_and_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    attend, runs = Mechanism.attend, []

    def interrupted(self: Mechanism, *arguments):
        runs.append(self)
        if len(runs) == 20:
            raise KeyboardInterrupt
        return attend(self, *arguments)

    monkeypatch.setattr(Mechanism, "attend", interrupted)
    assert give(*TINY) == 130
    assert capsys.readouterr().err == (
        "\nStopped, and nothing written: the times of a report are measured together.\n"
    )
    assert not Path("reports").exists()


def test_a_size_that_no_array_can_have_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert give("--lengths", "9" * 20) == 2
    assert capsys.readouterr().err.startswith("error: sizes can be at most 1,000,000,000,000,000")
