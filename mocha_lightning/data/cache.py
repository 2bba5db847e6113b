"""The features of a whole corpus in one memory-mapped array.

A folder holds ``features.npy`` (all frames of all utterances, one after the other), the
``statistics.npy`` they were normalised by, ``utterances.jsonl`` and ``corpus.json`` with what the
corpus is and the SHA-256 of the other three.
"""

import hashlib
import json
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float16, Float32, Int16
from numpy import ndarray
from torch import Tensor

from mocha_lightning.data.features import LogMel
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.errors import UserError

FEATURES, STATISTICS, UTTERANCES = HASHED = "features.npy", "statistics.npy", "utterances.jsonl"
ABOUT = "corpus.json"
BLOCK = 1 << 20
WORKERS = 2


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
        folder: what :func:`write_cache` has filled.

    Raises:
        UserError: the files are not those that were written.
    """

    def __init__(self, folder: Path) -> None:
        try:
            about = json.loads((folder / ABOUT).read_text())
            self.sha256: str = about["sha256"]
            intact = _digest(folder) == self.sha256
        except (OSError, ValueError, KeyError, TypeError):
            intact = False
        if not intact:
            raise UserError(
                f"the prepared corpus in {folder.resolve()} is damaged (its SHA-256 is not the "
                "one written beside it): delete that folder and it will be built again"
            )
        # Copy on write: PyTorch wants writable memory, and the file must stay as it is.
        mapped = np.load(folder / FEATURES, mmap_mode="c")
        self.features: Float16[Tensor, "total channels mel"] = torch.from_numpy(mapped)
        self.normalization = Normalization.load(folder / STATISTICS)
        with (folder / UTTERANCES).open() as lines:
            self.utterances = [Utterance(**json.loads(line)) for line in lines]
        self._starts = list(accumulate((item.frames for item in self.utterances), initial=0))

    def __getitem__(self, index: int) -> Float16[Tensor, "frames channels mel"]:
        """The normalised features of an utterance."""
        return self.features[self._starts[index] : self._starts[index + 1]]


def write_cache(
    folder: Path, features: LogMel, corpus: Iterator[Spoken], identity: dict[str, Any]
) -> None:
    """Extract the features of a corpus, normalise them and write them to a folder.

    Each feature (channel and mel bin) has mean 0 and standard deviation 1 over the frames of the
    training split, and is rounded to 16 bits (:class:`Normalization`).

    Args:
        folder: an empty folder.
        features: what to extract.
        corpus: utterances with their audio at the features' sample rate.
        identity: everything that decides the content, kept for the reader.

    Raises:
        UserError: an utterance is shorter than one frame.
    """
    utterances: list[Utterance] = []
    shape = (features.channels, features.mel_bins)
    total, squares, count = np.zeros(shape), np.zeros(shape), 0
    raw = folder / "energies.raw"
    with raw.open("wb") as file:
        for utterance, samples, energies in _with_energies(corpus, features):
            file.write(energies.tobytes())
            seconds = len(samples) / features.sample_rate
            utterances.append(replace(utterance, seconds=seconds, frames=len(energies)))
            if utterance.split == "train":
                full = features.add_deltas(energies).astype(np.float64)
                total += full.sum(0)
                squares += (full * full).sum(0)
                count += len(full)
    if count == 0:
        raise UserError("the corpus has no training utterances: there is nothing to train on")
    mean = total / count
    # A feature that never changes is left at zero.
    deviation = np.sqrt(np.maximum(squares / count - mean**2, 1e-10))
    normalization = Normalization(mean, deviation)
    normalization.save(folder / STATISTICS)
    _write_normalized(folder, raw, features, utterances, normalization)
    raw.unlink()
    with (folder / UTTERANCES).open("w") as lines:
        lines.writelines(json.dumps(asdict(item)) + "\n" for item in utterances)
    about = {"sha256": _digest(folder), "identity": identity}
    (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n")


def _with_energies(
    corpus: Iterator[Spoken], features: LogMel
) -> Iterator[tuple[Utterance, Int16[ndarray, " samples"], Float32[ndarray, "frames mel"]]]:
    """Each utterance with its log-mel energies, in order, extracted while the next is made."""

    def extract(
        spoken: Spoken,
    ) -> tuple[Utterance, Int16[ndarray, " samples"], Float32[ndarray, "frames mel"]]:
        utterance, samples = spoken
        try:
            return utterance, samples, features.energies(samples.astype(np.float32) / 32768)
        except UserError as error:
            raise UserError(f"utterance {utterance.id}: {error}") from None

    # Threads are enough: kaldi-native-fbank computes without holding the interpreter's lock.
    with ThreadPoolExecutor(WORKERS) as workers:
        pending = deque(workers.submit(extract, spoken) for spoken in islice(corpus, 2 * WORKERS))
        for spoken in corpus:
            yield pending.popleft().result()
            pending.append(workers.submit(extract, spoken))
        for future in pending:
            yield future.result()


def _write_normalized(
    folder: Path,
    raw: Path,
    features: LogMel,
    utterances: list[Utterance],
    normalization: Normalization,
) -> None:
    """Second pass: the statistics are known, so write the final array.

    By plain writes, not through a memory map: on a full disk those fail with an error, while a
    map would have the process killed.
    """
    frames = sum(item.frames for item in utterances)
    header = {
        "descr": "<f2",
        "fortran_order": False,
        "shape": (frames, features.channels, features.mel_bins),
    }
    with raw.open("rb") as source, (folder / FEATURES).open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for item in utterances:
            values = np.frombuffer(source.read(4 * item.frames * features.mel_bins), np.float32)
            full = features.add_deltas(values.reshape(item.frames, features.mel_bins))
            file.write(normalization.apply(full).tobytes())


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in HASHED:
        with (folder / name).open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()
