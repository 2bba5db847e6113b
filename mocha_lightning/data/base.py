"""What an experiment needs of any corpus."""

from abc import ABC, abstractmethod
from importlib.metadata import version
from typing import Any, ClassVar

import pytorch_lightning as pl

from mocha_lightning.errors import UserError
from mocha_lightning.shares import WHOLE, Share


class DataModule(pl.LightningDataModule, ABC):
    """A corpus: prepared once on disk, opened by every run, described in every report.

    Lightning calls ``prepare_data`` and ``setup`` before it asks for loaders; both may be called
    before that, and more than once.
    """

    name: str
    """The corpus's short name in results and tables."""

    places: ClassVar[tuple[str, ...]] = ()
    """Arguments that say where files lie. A corpus that was moved is still the same: what decides
    a result is ``sha256``."""

    def __init__(self) -> None:
        super().__init__()
        self.seed = 0
        """The run's seed: it decides the order of the training batches and nothing else."""
        self.share = WHOLE
        """Which parts of training batches, and which batches of evaluation, the loaders give."""

    def take(self, share: Share) -> None:
        """Have the loaders give a share.

        Raises:
            UserError: batches cannot be shared so.
        """
        if share.parts > 1:
            self.check_shares(share)
        self.share = share

    def check_shares(self, share: Share) -> None:
        """Check that batches can be shared so: overridden where the loaders look at ``share``.

        Raises:
            UserError: they cannot.
        """
        raise UserError(
            f"data: {type(self).__name__} gives whole batches alone, not those of {share}: leave "
            "out trainer.devices, trainer.num_nodes and trainer.accumulate_grad_batches"
        )

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages, by the names that pip knows, whose version may decide what the data are."""
        return ()

    def versions(self) -> dict[str, str]:
        """Versions of the software that makes and reads the data, for a result's provenance.

        They are those installed now; that data which were prepared earlier are the same is for
        ``sha256`` to say.

        Raises:
            UserError: some of it is not installed.
        """
        return {package: version(package) for package in self.packages}

    @property
    def prepared(self) -> bool:
        """Whether ``prepare_data`` has nothing left to do.

        Raises:
            UserError: what it would prepare cannot be found.
        """
        return True

    @property
    @abstractmethod
    def sha256(self) -> str:
        """SHA-256 of the prepared data, checked against the files by ``setup``."""

    @property
    @abstractmethod
    def spec(self) -> Any:
        """What a task must know of the corpus to be built (its type is the task's affair).

        Of data that are not prepared, what their settings let one presume.
        """

    @property
    def presumption(self) -> str:
        """What ``spec`` presumes, in words; empty where it is known."""
        return ""

    @property
    def full_spec(self) -> Any:
        """The same without any data, for counting parameters: a vocabulary has its full size."""
        return self.spec

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Facts for reports, as JSON can hold them; needs ``setup``."""
