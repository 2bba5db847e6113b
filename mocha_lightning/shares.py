"""How the batch of an update is shared: among processes, and among rounds of each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mocha_lightning.errors import UserError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Share:
    """Which parts of every batch a process computes.

    The batch is that of the whole run, whoever computes it: update k sees batch k. It is cut into
    as many parts of one size as there are processes and rounds (whose gradients are added up
    before an update), and process p has in round r the part number r * processes + p. A part has
    every so many-th item, so that parts of a batch that is sorted by length are alike.

    Attributes:
        process: which one, counted from 0.
        processes: that compute together.
        rounds: of each process in one update.
    """

    process: int = 0
    processes: int = 1
    rounds: int = 1

    @property
    def parts(self) -> int:
        """Of a batch."""
        return self.processes * self.rounds

    def number(self, batch_idx: int) -> int:
        """Which part it is that this process has as its batch number ``batch_idx``."""
        return batch_idx % self.rounds * self.processes + self.process

    def check_divides(self, batch_size: int) -> None:
        """Check that all parts of a batch have one size.

        Raises:
            UserError: they have not.
        """
        if batch_size % self.parts:
            raise UserError(
                f"data.batch_size is {batch_size}, and a batch is shared by {self}: give a "
                f"multiple of {self.parts}"
            )

    def of_evaluation(self, batches: Sequence[Item]) -> Sequence[Item]:
        """The batches of a split that this process has: every so many-th, whole.

        So each is there once, and padded as one process would have it.

        Raises:
            UserError: there are fewer batches than processes.
        """
        if len(batches) < self.processes:
            raise UserError(
                f"{len(batches)} batches of validation or test cannot be shared by "
                f"{self.processes} processes: lower data.eval_batch_size, trainer.devices or "
                "trainer.num_nodes"
            )
        return batches[self.process :: self.processes]

    def __str__(self) -> str:
        """How people speak of it."""
        rounds = f", {self.rounds} parts each" if self.rounds > 1 else ""
        return f"{self.processes} process{'es' if self.processes > 1 else ''}{rounds}"


WHOLE = Share()
"""Of a process that computes alone, and a batch at once."""


class TrainingShare:
    """The parts of training batches that a process has, one after the other.

    Args:
        batches: of the whole run.
        share: of this process.
    """

    def __init__(self, batches: Iterable[Sequence[int]], share: Share) -> None:
        self.batches = batches
        self.share = share

    def __iter__(self) -> Iterator[Sequence[int]]:
        for batch in self.batches:
            for each in range(self.share.rounds):
                yield batch[self.share.number(each) :: self.share.parts]
