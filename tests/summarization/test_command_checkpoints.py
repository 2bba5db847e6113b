"""``summarize`` with checkpoints that do not fit."""

from pathlib import Path

import pytest
import torch
from commands import Command
from transcription.runs import run_of as speech_run_of

from mocha_lightning.cli import main
from mocha_lightning.data.tokenizing import TreebankTokenizer

from .commanding import change
from .runs import frontend_of


def test_a_run_of_another_task_is_said_so(command: Command, tmp_path: Path) -> None:
    speech_run_of(tmp_path / "speech", "MoChA")
    ended = command("a.txt", run="speech")
    assert ended.code == 2
    assert ended.err.startswith(
        "error: speech/config.yaml: task: SpeechRecognizer is no summariser of documents"
    )
    assert ended.err.count("\n") == 1


def test_a_summariser_does_not_transcribe(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command("a.txt")
    with pytest.raises(SystemExit):
        main(["transcribe", "x.wav", "--checkpoint", "run"])
    said = capsys.readouterr().err
    assert said.startswith("error: run/config.yaml: task: Summarizer is no recogniser of speech")
    assert said.count("\n") == 1


def test_a_checkpoint_that_does_not_fit_is_said_so(command: Command) -> None:
    best = Path("run/checkpoints/best.ckpt")
    state = frontend_of(TreebankTokenizer()).state_dict()
    for changed, said in (
        ({**state, "words": state["words"][:-1]}, "is 12 x 9, and must be 11 x 9 in the Summ"),
        ({**state, "words": ["a", "a"]}, "keeps of its corpus is damaged (UserError: a vocabul"),
        ({**state, "source_words": 0}, "what it keeps of its corpus is damaged"),
        ({**state, "format": 9}, "what it keeps of its corpus is in format 9, and this version"),
        ({**state, "tokenizer": "Own"}, "its corpus was cut into words by Own, and only"),
        (None, "keeps no vocabulary of its corpus (DocumentFile): it is of an earlier version"),
    ):
        change(best, DocumentFile=changed)
        ended = command("a.txt")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: {best}: ")
        assert said in ended.err
        assert ended.err.count("\n") == 1


def test_another_version_of_the_tokenizer_is_told(command: Command) -> None:
    state = frontend_of(TreebankTokenizer()).state_dict() | {"tokenized_by": "nltk 3.0"}
    change(Path("run/checkpoints/best.ckpt"), DocumentFile=state)
    assert "its corpus was cut into words by nltk 3.0, and documents are here by nltk" in (
        command("a.txt").err
    )


def test_nothing_in_a_checkpoint_is_executed(command: Command, tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "exploded",))

    torch.save({"state_dict": Bomb()}, "run/checkpoints/best.ckpt")
    assert "would have" in command("a.txt").err
    assert not (tmp_path / "exploded").exists()
