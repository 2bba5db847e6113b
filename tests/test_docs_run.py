"""Pages whose files and commands are run as they are printed, at a small scale."""

import importlib
import json
import shlex
import sys
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from printed import ROOT, write_files

from mocha_lightning.attention.alignment import monotonic_alignment
from mocha_lightning.attention.head import start_alignment
from mocha_lightning.cli import main

SHORT = (
    "--executor serial --wandb disabled --seeds 0 --set trainer.max_steps=2 "
    "trainer.val_check_interval=1"
)
FEW = " data.train_utterances=16 data.validation_utterances=2 data.test_utterances=2"
RATE = 8000
NAMES = ("last_entries", "chunk_mean")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A reader's folder, in which commands are given; what runs set in PyTorch is set back."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    deterministic = torch.are_deterministic_algorithms_enabled()
    yield tmp_path
    torch.use_deterministic_algorithms(deterministic)
    torch.set_flush_denormal(False)
    for name in NAMES:
        sys.modules.pop(name, None)


def give(command: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command))
    assert not ended.value.code


def record(path: Path, seconds: float = 1.0) -> None:
    """Write noise."""
    generator = np.random.default_rng(len(path.stem))
    samples = generator.normal(0, 3000, int(seconds * RATE)).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())


def test_the_page_on_a_mechanism_of_one_s_own_runs_as_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = write_files(ROOT / "docs" / "mechanism.md", folder)
    assert written == ["last_entries.py", "last-entries.yaml", "chunk_mean.py", "online.yaml"]
    record(folder / "talk.wav")
    give(f"run last-entries.yaml {SHORT}{FEW}")
    give("compare last-entries last_three mocha_w3")
    give(f"run online.yaml --variants chunk_mean {SHORT}{FEW}")
    give("transcribe talk.wav --checkpoint runs/online/chunk_mean/seed-0")
    for run, module in (("last-entries/last_three", NAMES[0]), ("online/chunk_mean", NAMES[1])):
        result = json.loads((folder / "runs" / run / "seed-0" / "result.json").read_text())
        assert result["ended"] == "completed"
        assert list(result["sources"]) == [module]
    assert "last_three - mocha_w3" in (folder / "reports/last-entries/table.md").read_text()
    assert "ChunkMean" in capsys.readouterr().err


def test_what_the_page_s_mechanisms_attend_to_is_what_it_says(folder: Path) -> None:
    """The last three entries; and in expectation the mean of the hard weights over all stops."""
    write_files(ROOT / "docs" / "mechanism.md", folder)
    values = torch.randn(2, 6, 5)
    valid = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    query = torch.randn(2, 4)

    last = importlib.import_module(NAMES[0]).LastEntries(5, 4, 3)
    memory = last.prepare(values, valid)
    attended = last.hard_step(query, memory, last.hard_start(memory))
    weights = attended.over(6)
    assert (weights > 0).tolist() == [
        [False, False, False, True, True, True],
        [False, True, True, True, False, False],
    ]
    torch.testing.assert_close(weights.sum(1), torch.ones(2))

    mean = importlib.import_module(NAMES[1]).ChunkMean(5, 4, 3, offset=0).eval()
    memory = mean.prepare(values, valid)
    before = start_alignment(values)
    logits = mean.head.logits(query, memory.keys[0], valid)
    alpha = monotonic_alignment(logits, before)
    expected = mean.expected_weights(query, memory, logits, before, alpha)
    hard = torch.zeros_like(expected)
    for stop in range(6):
        stops = torch.full((2,), stop)
        chosen, entries = mean.hard_weights(query, memory, stops - 1, stops)
        hard.scatter_add_(1, entries, alpha[:, stop, None] * chosen)
    torch.testing.assert_close(expected, hard)


def test_the_page_on_a_corpus_of_one_s_own_runs_as_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(ROOT / "docs" / "corpus.md", folder)
    (folder / "recordings").mkdir()
    rows = ["file_name,text,split,speaker"]
    for number in range(20):
        split = "train" if number < 16 else "validation" if number < 18 else "test"
        record(folder / "recordings" / f"{number}.wav")
        rows.append(f"{number}.wav,seven five one,{split},anna")
    (folder / "recordings" / "metadata.csv").write_text("\n".join(rows))
    record(folder / "talk.wav")
    give("prepare recordings.yaml")
    assert "speakers" in capsys.readouterr().out
    give(f"run recordings.yaml --variants mocha_w2 {SHORT}")
    give("transcribe talk.wav --checkpoint runs/recordings/mocha_w2/seed-0")
    assert "MoChA" in capsys.readouterr().err


def test_the_example_of_the_paper_is_what_the_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    give("compare --from-summary 14.6 0.3 8 15.0 0.6 8")
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert f"```text\n{printed}\n```" in (ROOT / "docs" / "report.md").read_text()
