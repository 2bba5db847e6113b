"""Runs whose weights are drawn, and documents for them: no corpus is prepared, nothing trained."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from drawn import spec_of

from mocha_lightning.data import DocumentSpec, WordVocabulary
from mocha_lightning.data.document_frontend import DocumentFrontend
from mocha_lightning.data.tokenizing import SpaceTokenizer, Tokenizer, TreebankTokenizer
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.resolving import instantiate_task

METRIC = Metric("test/rouge1", "max")
VOCABULARY = WordVocabulary(("the", "cat", "dog", "sat", "ran", "saw", "and", "."))
SOURCE_WORDS = 30
SIZES = {
    **{"embedding_dim": 10, "encoder_dim": 8, "decoder_dim": 14, "output_embedding_dim": 9},
    **{"energy_dim": 12, "max_outputs": 12, "beam_width": 3},
}


def frontend_of(tokenizer: Tokenizer) -> DocumentFrontend:
    """What a corpus would keep."""
    return DocumentFrontend(
        type(tokenizer).__name__, tokenizer.name, SOURCE_WORDS, VOCABULARY, "0" * 64
    )


def config_of(mechanism: str, **task: Any) -> dict[str, Any]:
    """The configuration of a summariser that attends so; its corpus lies nowhere."""
    arguments = {} if mechanism == "SoftAttention" else {"offset": -1, "gain": 6}
    attention = {
        "class_path": f"mocha_lightning.attention.{mechanism}",
        "init_args": arguments,
    }
    nowhere = dict.fromkeys(("train", "validation", "test"), "/nowhere.jsonl")
    return {
        "task": {
            "class_path": "mocha_lightning.summarizer.Summarizer",
            "init_args": {**SIZES, "attention": attention, **task},
        },
        "data": {"class_path": "mocha_lightning.data.DocumentFile", "init_args": nowhere},
        "trainer": {"max_steps": 2, "val_check_interval": 1},
    }


def run_of(
    folder: Path, mechanism: str, *, running: bool = False, seed: int = 0, **task: Any
) -> Path:
    """A run's folder with its configuration and its best step, as after training.

    Args:
        folder: to be filled.
        mechanism: its class.
        running: whether the corpus was running text; else words parted by spaces.
        seed: of the weights.
        task: arguments of the summariser.
    """
    spec = replace(spec_of(config_of(mechanism, **task), METRIC), seed=seed)
    torch.manual_seed(seed)
    summarizer = instantiate_task(spec.config)(DocumentSpec(VOCABULARY))
    with torch.no_grad():  # what is said depends on what is read
        summarizer.encoder.embedding.weight.mul_(3)
        summarizer.decoder.embedding.weight.mul_(3)
        summarizer.decoder.output.weight.mul_(10)
        summarizer.decoder.pointer_generator.gate.weight.mul_(6)
        # As after training: these are no words, and ends come late.
        marks = [VOCABULARY.PAD, VOCABULARY.UNK, VOCABULARY.SOS]
        summarizer.decoder.output.bias[marks] = -50
        summarizer.decoder.output.bias[VOCABULARY.EOS] = -1
    (folder / "checkpoints").mkdir(parents=True)
    spec.write(folder)
    checkpoint = {
        "state_dict": summarizer.state_dict(),
        "callbacks": {"Checkpoints": {"config_hash": spec.config_hash}},
        "DocumentFile": frontend_of(
            TreebankTokenizer() if running else SpaceTokenizer()
        ).state_dict(),
    }
    torch.save(checkpoint, folder / "checkpoints" / "best.ckpt")
    return folder
