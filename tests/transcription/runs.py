"""Runs whose weights are drawn, and sound for them: no corpus is prepared and nothing trained."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from drawn import spec_of
from numpy import ndarray
from recognizer.test_streaming_decoder import prepared

from mocha_lightning.data import LogMel, SpeechSpec, Vocabulary
from mocha_lightning.data.frontend import Frontend
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.resolving import instantiate_task
from mocha_lightning.recognizer.normalization import MaskedBatchNorm

METRIC = Metric("test/wer", "min")
RATE = 8000
FEATURES = LogMel(RATE, 8)


def sound(seconds: float, seed: int = 0) -> ndarray:
    """Tones of random pitches and levels in noise, as a 16-bit file has them."""
    generator = np.random.default_rng(seed)
    pieces = []
    for _ in range(round(seconds / 0.1)):
        pitch, level = generator.uniform(100, 3900), 10 ** generator.uniform(-2.5, -0.5)
        wave = np.sin(2 * np.pi * pitch * np.arange(RATE // 10) / RATE)
        pieces.append(level * (wave + 0.3 * generator.standard_normal(len(wave))))
    return np.int16(np.concatenate(pieces).clip(-1, 1) * 32767)


def as_float(samples: ndarray) -> ndarray:
    """16-bit samples as a recogniser takes them."""
    return samples.astype(np.float32) / 32768


def statistics() -> Normalization:
    """Of such sound."""
    frames = FEATURES.extract(as_float(sound(5)), RATE).astype(np.float64)
    return Normalization(frames.mean(0), frames.std(0))


FRONTEND = Frontend(FEATURES, statistics(), Vocabulary((" ", "a", "b", "c")), "0" * 64)
CTC = "CtcRecognizer"
SIZES = {
    "filters": 4,
    "hidden_dim": 16,
    "layers": 2,
    "decoder_dim": 12,
    "embedding_dim": 6,
    "energy_dim": 10,
}


def config_of(mechanism: str, **task: Any) -> dict[str, Any]:
    """The configuration of a recogniser that attends so, or is CTC; its corpus lies nowhere."""
    cls, sizes = mechanism, {name: SIZES[name] for name in ("filters", "hidden_dim", "layers")}
    if mechanism != CTC:
        cls = "SpeechRecognizer"
        inside = mechanism if "." in mechanism else f"mocha_lightning.attention.{mechanism}"
        arguments = {} if mechanism == "SoftAttention" else {"offset": 0}
        attention = {"class_path": inside, "init_args": arguments}
        sizes = {**SIZES, "attention": attention}
    return {
        "task": {
            "class_path": f"mocha_lightning.recognizer.{cls}",
            "init_args": {**sizes, **task},
        },
        "data": {
            "class_path": "mocha_lightning.data.AudioFolder",
            "init_args": {"folder": "/nowhere"},
        },
        "trainer": {"max_steps": 2, "val_check_interval": 1},
    }


def run_of(folder: Path, mechanism: str, seed: int = 0, end: float = 0.0, **task: Any) -> Path:
    """A run's folder with its configuration and its best step, as after training.

    Args:
        folder: to be filled.
        mechanism: its class, or CTC's recogniser.
        seed: of the weights.
        end: added to the score of the end symbol.
        task: arguments of the recogniser.
    """
    spec = replace(spec_of(config_of(mechanism, **task), METRIC), seed=seed)
    torch.manual_seed(seed)
    corpus = SpeechSpec(FRONTEND.vocabulary, FEATURES.channels, FEATURES.mel_bins)
    recogniser = instantiate_task(spec.config)(corpus).eval()
    if mechanism != CTC:
        prepared(recogniser)
    with torch.no_grad():  # what is said depends on what is heard
        frames = FRONTEND.normalization.apply(FEATURES.extract(as_float(sound(5)), RATE))
        encoder = recogniser.encoder.train()
        for part in encoder.modules():
            if isinstance(part, MaskedBatchNorm):
                part.momentum = 1.0
        encoder(torch.from_numpy(frames).float()[None], torch.tensor([len(frames)]))
        if mechanism != CTC:
            recogniser.decoder.output.bias.zero_()[Vocabulary.EOS] += end
    (folder / "checkpoints").mkdir(parents=True)
    spec.write(folder)
    checkpoint = {
        "state_dict": recogniser.state_dict(),
        "callbacks": {"Checkpoints": {"config_hash": spec.config_hash}},
        "AudioFolder": FRONTEND.state_dict(),
    }
    torch.save(checkpoint, folder / "checkpoints" / "best.ckpt")
    return folder
