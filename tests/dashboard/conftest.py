"""Experiments of models too small to learn, really run, whose W&B runs are kept offline."""

import shutil
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
import yaml

from mocha_lightning.cli import main

MOCHA = {"class_path": "mocha_lightning.attention.MoChA", "init_args": {"chunk_size": 2}}
SOFT = {"class_path": "mocha_lightning.attention.SoftAttention"}
TRAINER = {"max_steps": 2, "val_check_interval": 1, "log_every_n_steps": 1}
SPEECH: dict[str, Any] = {
    "task": {
        "class_path": "mocha_lightning.recognizer.SpeechRecognizer",
        "init_args": {"filters": 2, "hidden_dim": 8, "layers": 1, "beam_width": 1},
    },
    "data": {
        "class_path": "mocha_lightning.data.SpokenNumbers",
        "init_args": {
            **{"words": "digits", "min_words": 2, "max_words": 2, "batch_size": 2},
            **{"train_utterances": 4, "validation_utterances": 2, "test_utterances": 2},
            "cache_dir": "cache",
        },
    },
    "trainer": TRAINER,
    "seeds": [0],
    "metric": {"name": "test/wer", "mode": "min"},
    "variants": {
        "mocha_w2": {"task.attention": MOCHA, "task.decoder_dim": 8, "task.energy_dim": 4},
        "ctc": {"task.class_path": "mocha_lightning.recognizer.CtcRecognizer"},
    },
}
DOCUMENTS: dict[str, Any] = {
    "task": {
        "class_path": "mocha_lightning.summarizer.Summarizer",
        "init_args": {
            **{"embedding_dim": 4, "encoder_dim": 4, "decoder_dim": 8, "energy_dim": 4},
            **{"output_embedding_dim": 4, "beam_width": 1, "max_outputs": 4},
        },
    },
    "data": {
        "class_path": "mocha_lightning.data.KeyFacts",
        "init_args": {
            **{"facts": 2, "marked": 1, "batch_size": 2},
            **{"train_documents": 4, "validation_documents": 2, "test_documents": 4},
        },
    },
    "trainer": TRAINER,
    "seeds": [0],
    "metric": {"name": "test/exact_match", "mode": "max"},
    "variants": {"mocha_w2": {"task.attention": MOCHA}, "soft": {"task.attention": SOFT}},
    "comparisons": [["mocha_w2", "soft"]],
}


@pytest.fixture(scope="session")
def speech(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recogniser with MoChA and one by CTC, which attends to nothing."""
    pytest.importorskip("espeakng_loader", reason="eSpeak NG is not installed (extra: espeak)")
    return _run("speech", SPEECH, tmp_path_factory.mktemp("speech"))


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Summarisers with MoChA and with soft attention."""
    return _run("documents", DOCUMENTS, tmp_path_factory.mktemp("documents"))


@pytest.fixture
def copied(documents: Path, tmp_path: Path) -> Path:
    """The summarisers' runs, for a test to change."""
    return Path(shutil.copytree(documents, tmp_path / "documents", symlinks=True))


@pytest.fixture
def copied_speech(speech: Path, tmp_path: Path) -> Path:
    """The recognisers' runs, for a test to change."""
    return Path(shutil.copytree(speech, tmp_path / "speech", symlinks=True))


def _run(name: str, experiment: dict[str, Any], place: Path) -> Path:
    with chdir(place):
        Path(f"{name}.yaml").write_text(yaml.safe_dump(experiment, sort_keys=False))
        with pytest.raises(SystemExit, match="0"):
            main(["run", f"{name}.yaml", "--wandb", "offline", "--jobs", "2"])
    return place / "runs" / name
