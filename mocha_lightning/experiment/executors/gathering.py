"""Runs on nodes that do not see the folder of runs: their files are brought back as they appear.

A run is done in a folder of its node's. Whatever it writes there is sent to a keeper beside the
command, which has the run's true folder and its lock; and a run that was lost with its node begins
elsewhere from what the keeper has, which is all up to some validation.
"""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol
from uuid import uuid4

from mocha_lightning.experiment.door import Door
from mocha_lightning.experiment.executors.away import Errand, do_in_child
from mocha_lightning.experiment.executors.base import Ended
from mocha_lightning.experiment.exits import BUSY, FAILED
from mocha_lightning.experiment.locks import BusyError, locked
from mocha_lightning.experiment.places import (
    BEST_CHECKPOINT,
    CHECKPOINTS,
    LAST_CHECKPOINT,
    PRUNED,
    RESULT,
)
from mocha_lightning.experiment.whole_files import write_whole

LAST, BEST = (f"{CHECKPOINTS}/{name}" for name in (LAST_CHECKPOINT, BEST_CHECKPOINT))
ORDER = (RESULT, LAST, BEST)
"""Read in this order, and written in the opposite one after all others, files fit together.

A result stands for all files. What is in a checkpoint was in the learning curves before it, and
the best checkpoint may be newer than the last one, but not older: so a run writes them itself.
"""


@dataclass(frozen=True)
class Link:
    """A link, by what it says."""

    target: str


Files = Mapping[str, bytes | Link]
"""By path within a run's folder."""


class Keeps(Protocol):
    """What a node asks of :class:`Keeper`, wherever that is."""

    def begin(self, folder: Path, attempt: str) -> Files | None:
        """Take a run in hand; None where another command has it."""

    def keep(self, folder: Path, attempt: str, files: Files) -> Files:
        """Keep what is new of a run; gives what its node has to know."""

    def end(self, folder: Path, attempt: str) -> None:
        """Let go of a run."""


class StaleError(Exception):
    """Another node has been given this run since."""


class Keeper:
    """Keeps runs in their true folders, each for the node that was last given it."""

    def __init__(self) -> None:
        self._attempts: dict[Path, str] = {}
        self._locks: dict[Path, ExitStack] = {}

    def begin(self, folder: Path, attempt: str) -> Files | None:
        """Take a run in hand.

        Args:
            folder: the run's.
            attempt: names who will send files. Nobody else's are taken from now on.

        Returns:
            What there is of the run; None where another command has its lock.
        """
        if folder not in self._locks:
            lock = ExitStack()
            try:
                lock.enter_context(locked(folder))
            except BusyError:
                return None
            self._locks[folder] = lock
        self._attempts[folder] = attempt
        return read_changed(folder, {})

    def keep(self, folder: Path, attempt: str, files: Files) -> Files:
        """Write what is new of a run.

        Returns:
            What the run's node has to know: that a sweep has given the run up.

        Raises:
            StaleError: the run is in other hands.
            OSError: a file cannot be written.
        """
        self._check(folder, attempt)
        write_files(folder, files)
        given_up = folder / PRUNED
        return {PRUNED: given_up.read_bytes()} if given_up.exists() else {}

    def end(self, folder: Path, attempt: str) -> None:
        """Free a run's lock.

        Raises:
            StaleError: the run is in other hands.
        """
        self._check(folder, attempt)
        del self._attempts[folder]
        self._locks.pop(folder).close()

    def abandon(self, folder: Path) -> None:
        """Free the lock of a run of whose node nothing more is to be expected."""
        self._attempts.pop(folder, None)
        if lock := self._locks.pop(folder, None):
            lock.close()

    def _check(self, folder: Path, attempt: str) -> None:
        if self._attempts.get(folder) != attempt:
            raise StaleError


def do_gathered(errand: Errand, keeper: Keeps, door: Door | None = None) -> Ended:
    """Do a run in a folder of this machine's and have the keeper keep what it leaves.

    Args:
        errand: the run.
        keeper: of its true folder.
        door: where other nodes come, if it is done by several.

    Raises:
        UserError: as of :func:`do_in_child`.
    """
    attempt = uuid4().hex
    try:
        files = keeper.begin(errand.folder, attempt)
        if files is None:
            return Ended(BUSY)
        try:
            return Ended(_do_here(errand, keeper, door, attempt, files))
        finally:
            keeper.end(errand.folder, attempt)
    except StaleError:
        return Ended(BUSY)
    except OSError as error:
        where = error.filename or errand.folder
        return Ended(FAILED, f"{where}: {error.strerror}: make room or give access")


def _do_here(errand: Errand, keeper: Keeps, door: Door | None, attempt: str, files: Files) -> int:
    """Do a run in a folder of this machine's; gives its exit code."""
    with TemporaryDirectory(prefix="mocha-lightning-") as place:
        sender = _Sender(errand, Path(place), keeper, attempt)
        write_files(sender.here, files)
        sender.seen = signatures(sender.here)
        try:
            return do_in_child(errand, sender.here, sender.send, door)
        finally:
            sender.send()


@dataclass
class _Sender:
    """Sends what is new."""

    errand: Errand
    here: Path
    keeper: Keeps
    attempt: str
    seen: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def send(self) -> None:
        now = signatures(self.here)
        files = read_changed(self.here, self.seen)
        if files or self.seen:
            told = self.keeper.keep(self.errand.folder, self.attempt, files)
            write_files(self.here, told)
        self.seen = now


def signatures(folder: Path) -> dict[str, tuple[int, ...]]:
    """What changes of each file when it does. What begins with a dot is nobody else's affair."""
    found: dict[str, tuple[int, ...]] = {}
    for top, folders, names in os.walk(folder):
        inner = Path(top).relative_to(folder)
        for name in [*names, *(each for each in folders if (Path(top) / each).is_symlink())]:
            if name.startswith("."):
                continue
            try:
                state = (Path(top) / name).lstat()
            except FileNotFoundError:
                continue
            found[str(inner / name)] = (state.st_mtime_ns, state.st_size, state.st_ino)
    return found


def read_changed(folder: Path, seen: Mapping[str, tuple[int, ...]]) -> dict[str, bytes | Link]:
    """Read the files of a run that are not what they were, in an order in which they fit."""
    now = signatures(folder)
    changed = [name for name, state in now.items() if seen.get(name) != state]
    found: dict[str, bytes | Link] = {}
    for name in sorted(changed, key=_rank):
        path = folder / name
        try:
            found[name] = Link(str(path.readlink())) if path.is_symlink() else path.read_bytes()
        except FileNotFoundError:
            continue
    return found


def write_files(folder: Path, files: Files) -> None:
    """Write files of a run, each whole, in the order in which they may be seen."""
    for name in sorted(files, key=_rank, reverse=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = files[name]
        if isinstance(content, Link):
            path.unlink(missing_ok=True)
            path.symlink_to(content.target)
        else:
            write_whole(path, content)


def _rank(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)
