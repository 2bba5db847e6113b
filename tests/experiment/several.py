"""A corpus of noise and a small recogniser, for runs by several processes."""

from collections.abc import Sequence
from typing import Any

import torch
from recognizer.setting import SPEC, padded
from torch.utils.data import DataLoader, Dataset

from mocha_lightning.data import SpeechBatch, SpeechSpec, Vocabulary
from mocha_lightning.data.base import DataModule
from mocha_lightning.data.batching import BatchesByStep, batches_by_length
from mocha_lightning.shares import Share, TrainingShare

SIZES = {"train": 48, "val": 11, "test": 9}
"""Utterances; those of evaluation, four a batch, make three batches, the last of which is short."""


class Spoken(Dataset[Any]):
    """Utterances of noise, each with some letters, of many lengths."""

    def __init__(self, split: str) -> None:
        self.split = split
        generator = torch.Generator().manual_seed(list(SIZES).index(split))
        self.lengths = torch.randint(12, 60, (SIZES[split],), generator=generator).tolist()
        self.features = [torch.randn(n, 3, 8, generator=generator) for n in self.lengths]
        letters = [max(1, n // 8) for n in self.lengths]
        self.texts = [
            "".join("abc"[k] for k in torch.randint(3, (n,), generator=generator).tolist())
            for n in letters
        ]

    def __getitem__(self, index: int) -> int:
        return index

    def batch(self, rows: Sequence[int]) -> SpeechBatch:
        features, frame_lengths = padded([self.features[row] for row in rows])
        texts = [self.texts[row] for row in rows]
        tokens, token_lengths = padded(
            [torch.tensor([*SPEC.vocabulary.encode(text), Vocabulary.EOS]) for text in texts]
        )
        names = tuple(f"{self.split}-{row}" for row in rows)
        return SpeechBatch(features, frame_lengths, tokens, token_lengths, names, tuple(texts))


class Noise(DataModule):
    """Utterances of noise, which can be learned by heart."""

    name = "noise"
    SHA256 = "1" * 64

    def __init__(self, batch_size: int = 8) -> None:
        super().__init__()
        self.batch_size = batch_size

    @property
    def sha256(self) -> str:
        return self.SHA256

    @property
    def spec(self) -> SpeechSpec:
        return SPEC

    def describe(self) -> dict[str, Any]:
        return {"splits": SIZES}

    def check_shares(self, share: Share) -> None:
        share.check_divides(self.batch_size)

    def train_dataloader(self) -> DataLoader[Any]:
        assert self.trainer is not None
        split = Spoken("train")
        start = self.trainer.global_step
        batches = BatchesByStep(split.lengths, self.batch_size, self.seed, start)
        return self._loader(split, TrainingShare(batches, self.share))

    def val_dataloader(self) -> DataLoader[Any]:
        return self._evaluated("val")

    def test_dataloader(self) -> DataLoader[Any]:
        return self._evaluated("test")

    def _evaluated(self, name: str) -> DataLoader[Any]:
        split = Spoken(name)
        return self._loader(split, self.share.of_evaluation(batches_by_length(split.lengths, 4)))

    def _loader(self, split: Spoken, batches: Any) -> DataLoader[Any]:
        return DataLoader(split, batch_sampler=batches, collate_fn=split.batch)
