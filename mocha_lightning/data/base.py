"""What an experiment needs of any corpus."""

from abc import ABC, abstractmethod
from typing import Any

import pytorch_lightning as pl


class DataModule(pl.LightningDataModule, ABC):
    """A corpus: prepared once on disk, opened by every run, described in every report.

    Lightning calls ``prepare_data`` and ``setup`` before it asks for loaders; both may be called
    before that, and more than once.
    """

    name: str
    """The corpus's short name in results and tables."""

    def __init__(self) -> None:
        super().__init__()
        self.seed = 0
        """The run's seed: it decides the order of the training batches and nothing else."""

    @property
    @abstractmethod
    def sha256(self) -> str:
        """SHA-256 of the prepared data, checked against the files by ``setup``."""

    @property
    @abstractmethod
    def spec(self) -> Any:
        """What a task must know of the corpus to be built (its type is the task's affair)."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Facts for reports, as JSON can hold them; needs ``setup``."""
