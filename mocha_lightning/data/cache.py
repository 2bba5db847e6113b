"""The features of a whole corpus on disk.

A folder holds ``energies.f32`` (the log-mel energies of all utterances, frame after frame, as
float32 with the low byte first), ``statistics.npy`` (what features are normalised by),
``utterances.jsonl`` and ``corpus.json`` with what the corpus is and the SHA-256 of the other three.
Differences in time and the normalisation are made when an utterance is read, which takes about a
millisecond and less than half of the disk that keeping them would.
"""

import hashlib
import json
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float16, Int16
from numpy import ndarray
from torch import Tensor

from mocha_lightning.data.features import LogMel
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.data.sealed_file import SealedFile
from mocha_lightning.data.sealing import checked_sha256

ENERGIES, STATISTICS, UTTERANCES = HASHED = "energies.f32", "statistics.npy", "utterances.jsonl"
BLOCK = 1 << 20


@dataclass(frozen=True)
class Utterance:
    """One utterance of a corpus.

    Args:
        id: its name, unique in the corpus.
        split: train, validation or test.
        text: what is said.
        speaker: who says it.
        details: whatever else the corpus knows (rate, noise).
        seconds: length of the audio.
        frames: length of the features.
    """

    id: str
    split: str
    text: str
    speaker: str
    details: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    frames: int = 0


Spoken = tuple[Utterance, Int16[ndarray, " samples"]]
"""An utterance and its audio."""


class FeatureCache:
    """A prepared corpus, opened for reading.

    Args:
        folder: what a :class:`~mocha_lightning.data.writing.CacheWriter` has finished.
        features: those that the energies are part of.

    Raises:
        UserError: the files are not those that were written.
    """

    def __init__(self, folder: Path, features: LogMel) -> None:
        self.sha256 = checked_sha256(folder, digest)
        self.features = features
        self._energies = SealedFile(folder / ENERGIES)
        self.normalization = Normalization.load(folder / STATISTICS)
        with (folder / UTTERANCES).open() as lines:
            self.utterances = [Utterance(**json.loads(line)) for line in lines]
        longest = max((item.frames for item in self.utterances), default=0)
        # The same memory for one utterance after the other: fresh memory takes as long as reading.
        self._read = np.empty(longest * features.mel_bins, "<f4")
        self._starts = list(accumulate((item.frames for item in self.utterances), initial=0))

    def __getitem__(self, index: int) -> Float16[Tensor, "frames channels mel"]:
        """The features of an utterance with their differences, normalised, rounded to 16 bits.

        Raises:
            UserError: the file has been cut short since it was opened.
        """
        frames, mel_bins = self.utterances[index].frames, self.features.mel_bins
        energies = self._read[: frames * mel_bins]
        begin = self._starts[index] * mel_bins * energies.itemsize
        self._energies.fill(energies.data, begin)
        full = self.features.add_deltas(energies.reshape(frames, mel_bins))
        return torch.from_numpy(self.normalization.apply(full))


def digest(folder: Path) -> str:
    """SHA-256 of energies, statistics and utterances, one after the other."""
    sha256 = hashlib.sha256()
    for name in HASHED:
        with (folder / name).open("rb") as file:
            while block := file.read(BLOCK):
                sha256.update(block)
    return sha256.hexdigest()
