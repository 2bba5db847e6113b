"""What the runner needs of any model."""

from abc import ABC
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import pytorch_lightning as pl

Split = Literal["val", "test"]


class Task(pl.LightningModule, ABC):
    """A model with its loss, its decoding and its scores: what an experiment trains and tests.

    It logs ``val/<metric>`` at validation and ``test/<metric>`` at test with ``self.log``; every
    name under ``test/`` has its twin under ``val/``, by which the best step is chosen.
    """

    by_processes: ClassVar[bool] = False
    """Whether several processes may share its batches: it weighs its losses (``weighed``), and its
    scores and predictions are of the batches of all of them (``in_order``)."""

    departures: ClassVar[tuple[str, ...]] = ()
    """Where it differs from the paper's model in what no argument expresses."""

    paper_arguments: ClassVar[Mapping[type, Mapping[str, Any]]] = {}
    """By mechanism, what the paper gives it in this task, where that is not its default."""

    none_means: ClassVar[Mapping[str, str]] = {}
    """By argument, what a reader is told of None."""

    predictions: list[dict[str, Any]]
    """After a test: one JSON-able record for each example."""

    def __init__(self) -> None:
        super().__init__()
        self.predictions = []

    def illustrate(self, data: pl.LightningDataModule) -> dict[str, bytes]:
        """What a run leaves to look at, of one validation example: files by name.

        Called once, with the weights of the best step. Variants show the same example.
        """
        return {}

    def metric_signatures(self, split: Split) -> dict[str, str]:
        """Metric name, without its split, to a line that says exactly what is computed there.

        A name may be computed more thoroughly at test than at validation.
        """
        return {}


def check_corpus(spec: object, wanted: type, kind: str) -> None:
    """Check that a task has a corpus of its kind.

    Args:
        spec: what the corpus says of itself.
        wanted: what a corpus of the right kind says.
        kind: its name.

    Raises:
        ValueError: it is of another kind.
    """
    if not isinstance(spec, wanted):
        raise ValueError(
            f"task is one of {kind}, and data are none: name a task and data of one kind"
        )
