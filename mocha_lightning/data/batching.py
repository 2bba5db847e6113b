"""Which utterances make which batch."""

from collections.abc import Iterator, Sequence

import numpy as np

from mocha_lightning.errors import UserError

POOL = 20
"""Batches that are sorted by length together: little padding, and still a random mixture."""


class BatchesByStep:
    """Training batches without end; batch k depends on the seed and k alone.

    So a run that is resumed at a step, and a variant whose model is another, see the same
    batches. Each epoch is a permutation of the corpus, cut into pools; a pool is sorted by length
    and cut into batches, and the batches are shuffled. What does not fill a batch at an epoch's
    end is left out of that epoch.

    Args:
        lengths: frames of each utterance.
        batch_size: utterances a batch.
        seed: decides the order.
        start_step: the first batch given out.

    Raises:
        UserError: the corpus does not fill one batch.
    """

    def __init__(
        self, lengths: Sequence[int], batch_size: int, seed: int, start_step: int = 0
    ) -> None:
        if len(lengths) < batch_size:
            raise UserError(
                f"data.batch_size is {batch_size} and the training split has {len(lengths)} "
                "utterances: lower it"
            )
        self.lengths = np.asarray(lengths)
        self.batch_size = batch_size
        self.seed = seed
        self.start_step = start_step

    @property
    def batches_per_epoch(self) -> int:
        """Full batches in one pass over the corpus."""
        return len(self.lengths) // self.batch_size

    def epoch(self, number: int) -> list[list[int]]:
        """All batches of one epoch."""
        generator = np.random.default_rng([self.seed, number])
        order = generator.permutation(len(self.lengths))
        order = order[: self.batches_per_epoch * self.batch_size]
        batches: list[list[int]] = []
        for start in range(0, len(order), POOL * self.batch_size):
            pool = order[start : start + POOL * self.batch_size]
            pool = pool[np.argsort(self.lengths[pool], kind="stable")]
            batches += pool.reshape(-1, self.batch_size).tolist()
        return [batches[index] for index in generator.permutation(len(batches))]

    def __iter__(self) -> Iterator[list[int]]:
        epoch, skip = divmod(self.start_step, self.batches_per_epoch)
        while True:
            yield from self.epoch(epoch)[skip:]
            epoch, skip = epoch + 1, 0


def batches_by_length(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Batches for evaluation: every utterance once, neighbours in length together."""
    order = np.argsort(np.asarray(lengths), kind="stable").tolist()
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
