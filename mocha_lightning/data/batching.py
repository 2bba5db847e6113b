"""Which utterances make which batch."""

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np
from jaxtyping import Int
from numpy import ndarray

from mocha_lightning.errors import UserError

POOL = 20
"""Batches that are sorted by length together: little padding, and still a random mixture."""


class BatchesByStep:
    """Training batches without end; batch k depends on the seed and k alone.

    So a run that is resumed at a step, and a variant whose model is another, see the same
    batches. Each epoch is a permutation of the corpus, cut into pools; a pool is sorted by length
    and cut into batches, and the batches are shuffled. What does not fill a batch at an epoch's
    end is left out of that epoch.

    With ``batch_frames`` a batch ends before it would have more frames, counted as many times the
    longest utterance as it has utterances. Then epochs differ in their number of batches, and to
    start at a step is to cut all epochs before it (a fifth of a second each for a thousand hours).

    Args:
        lengths: frames of each utterance.
        batch_size: utterances a batch; the most where ``batch_frames`` is given.
        seed: decides the order.
        start_step: the first batch given out.
        batch_frames: the most frames a batch, padding included; None for no such limit.

    Raises:
        UserError: the corpus does not fill one batch.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        batch_size: int,
        seed: int,
        start_step: int = 0,
        batch_frames: int | None = None,
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
        self.batch_frames = batch_frames

    def epoch(self, number: int) -> list[list[int]]:
        """All batches of one epoch."""
        generator = np.random.default_rng([self.seed, number])
        order = generator.permutation(len(self.lengths))
        order = order[: len(order) // self.batch_size * self.batch_size]
        batches: list[list[int]] = []
        for start in range(0, len(order), POOL * self.batch_size):
            pool = order[start : start + POOL * self.batch_size]
            pool = pool[np.argsort(self.lengths[pool], kind="stable")]
            batches += cut(pool, self.lengths[pool], self.batch_size, self.batch_frames)
        return [batches[index] for index in generator.permutation(len(batches))]

    def __iter__(self) -> Iterator[list[int]]:
        epoch, skip = 0, self.start_step
        if self.batch_frames is None:
            epoch, skip = divmod(skip, len(self.lengths) // self.batch_size)
        for number in count(epoch):
            batches = self.epoch(number)
            yield from batches[skip:]
            skip = max(0, skip - len(batches))


def batches_by_length(
    lengths: Sequence[int], batch_size: int, batch_frames: int | None = None
) -> list[list[int]]:
    """Batches for evaluation: every utterance once, neighbours in length together."""
    frames = np.asarray(lengths)
    order = np.argsort(frames, kind="stable")
    return cut(order, frames[order], batch_size, batch_frames)


def cut(
    indices: Int[ndarray, " utterances"],
    lengths: Int[ndarray, " utterances"],
    batch_size: int,
    batch_frames: int | None,
) -> list[list[int]]:
    """Cut utterances into batches, in their order, each as large as it may be.

    Args:
        indices: the utterances, the shortest first.
        lengths: frames of each of them; one of more than ``batch_frames`` is a batch by itself.
        batch_size: the most utterances a batch.
        batch_frames: the most frames a batch, padding included; None for no such limit.
    """
    batches: list[list[int]] = []
    start = 0
    sizes = np.arange(1, batch_size + 1)
    while start < len(indices):
        size = batch_size
        if batch_frames is not None:
            # The last of a batch is its longest.
            longest = lengths[start : start + batch_size]
            size = max(1, int(np.count_nonzero(longest * sizes[: len(longest)] <= batch_frames)))
        batches.append(indices[start : start + size].tolist())
        start += size
    return batches
