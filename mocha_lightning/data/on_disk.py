"""What corpora share that are prepared once in a folder of their own, and opened by every run."""

import hashlib
import json
from abc import abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from mocha_lightning.data.base import DataModule
from mocha_lightning.data.building import build_once, check_free, plain_source_errors
from mocha_lightning.data.workers import cores
from mocha_lightning.errors import UserError


class OnDisk(DataModule):
    """A corpus that is prepared in a folder whose name tells its settings apart.

    Args:
        cache_dir: the folder that prepared corpora are kept in.
    """

    places: ClassVar[tuple[str, ...]] = ("cache_dir",)
    goes_on: ClassVar[bool] = False
    """Whether :meth:`build` goes on where it was stopped."""

    def __init__(self, cache_dir: str) -> None:
        super().__init__()
        self.cache_dir = cache_dir
        self.jobs = cores()
        """Processes that prepare it at the same time, where it can be shared among them."""

    @abstractmethod
    def full_identity(self) -> dict[str, Any]:
        """Everything that decides the prepared corpus, as JSON."""

    @abstractmethod
    def build(self, folder: Path) -> None:
        """Fill a folder with the prepared corpus."""

    @cached_property
    def folder(self) -> Path:
        """Where the prepared corpus is kept: its name tells its settings apart by a hash."""
        with plain_source_errors():
            text = json.dumps(self.full_identity(), sort_keys=True)
        return (
            Path(self.cache_dir) / f"{self.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        )

    @property
    def prepared(self) -> bool:
        """Whether the folder is there."""
        return self.folder.is_dir()

    def prepare_data(self) -> None:
        """Build the prepared corpus, unless it is there.

        Raises:
            UserError: some of it cannot be used, or the disk cannot be written to.
        """
        # Known before the corpus is looked at, which its folder's name hangs on.
        check_free(Path(self.cache_dir))
        build_once(self.folder, self.build, goes_on=self.goes_on)

    def check_there(self) -> None:
        """Check that the folder is there.

        Raises:
            UserError: it is not.
        """
        if not self.prepared:
            raise UserError(f"{self.folder.resolve()}: not there: call prepare_data() first")
