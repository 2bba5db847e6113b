"""A task that is scored by what a search finds, greedily at validation and by a beam at test."""

from abc import abstractmethod
from typing import Any, ClassVar, Protocol, Self

from mocha_lightning.training.processes import in_order
from mocha_lightning.training.task import Split, Task


class Counted(Protocol):
    """What is counted over a split."""

    predictions: list[dict[str, Any]]

    def __iadd__(self, other: Self) -> Self:
        """Count what another has counted, as if it had come after all of this."""


class SearchingTask(Task):
    """Counts over a split what is searched for, and logs the scores at its end.

    A subclass sets :attr:`beam_width` and counts into what it makes anew for each batch. Batches
    may be counted by several processes: their counts are added in the order of the batches, so
    that the scores are those of one process to the last bit.
    """

    by_processes: ClassVar[bool] = True

    beam_width: int
    """Hypotheses that the search at test keeps; 1 is greedy search, which validation always is."""
    tally: Counted

    def __init__(self) -> None:
        super().__init__()
        self.counted: list[Counted] = []
        """The tallies of a split's batches so far."""

    @abstractmethod
    def begin_counting(self) -> None:
        """Set :attr:`tally` to a new one."""

    @abstractmethod
    def count(self, batch: Any, width: int) -> None:
        """Add a batch's loss and what is found in it to the tally.

        Args:
            batch: of validation or test.
            width: hypotheses that the search keeps.
        """

    @abstractmethod
    def scores(self) -> dict[str, float]:
        """The scores of what was counted, by name."""

    def on_validation_epoch_start(self) -> None:
        """Begin counting anew."""
        self.counted = []

    on_test_epoch_start = on_validation_epoch_start

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        """Loss, and greedy search."""
        self._count(batch, width=1)

    def test_step(self, batch: Any, batch_idx: int) -> None:
        """The same with a beam, and greedy search besides."""
        self._count(batch, self.beam_width)

    def on_validation_epoch_end(self) -> None:
        """Log the scores of the whole split."""
        self._log_scores("val")

    def on_test_epoch_end(self) -> None:
        """Log the scores of the whole split, and keep what was found."""
        self._log_scores("test")
        self.predictions = self.tally.predictions

    def _count(self, batch: Any, width: int) -> None:
        self.begin_counting()
        self.count(batch, width)
        self.counted.append(self.tally)

    def _log_scores(self, split: Split) -> None:
        self.begin_counting()
        for each in in_order(self.counted):
            self.tally += each
        self.counted = []
        self.log_dict({f"{split}/{name}": value for name, value in self.scores().items()})
