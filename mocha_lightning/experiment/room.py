"""Room on the disk for what runs keep; W&B's files are not reckoned."""

import shutil
from collections.abc import Iterable
from math import ceil
from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import CHECKPOINTS
from mocha_lightning.experiment.writable import existing

MIB = 1 << 20
ROOM_FOR_LOGS = 20 * MIB
"""Disk that one run needs beside its checkpoints."""
BYTES_PER_PARAMETER = 4 * 3
"""Of a checkpoint: a weight and Adam's two moments."""
KEPT = 2
"""Checkpoints that a run keeps, the best and the last; while one is written there is a third."""


def checkpoint_bytes(parameters: int) -> int:
    """How large a checkpoint of a model is."""
    return BYTES_PER_PARAMETER * parameters


def bytes_there(runs: Iterable[Path]) -> int:
    """What the checkpoints of runs take now; where a run goes on they are replaced."""
    return sum(path.stat().st_size for run in runs for path in (run / CHECKPOINTS).glob("*.ckpt"))


def check_room(
    folder: Path, checkpoints: int, runs: int, *, whose: str, kept: str, largest: int
) -> None:
    """Refuse what would not find room.

    Args:
        folder: where it is to lie; it may not exist yet.
        checkpoints: bytes of all that will be kept and are not there.
        runs: that will have logs.
        whose: what needs them, and the verb.
        kept: which checkpoints those are.
        largest: bytes of one.

    Raises:
        UserError: the disk has less.
    """
    needed = checkpoints + ROOM_FOR_LOGS * runs
    place = existing(folder)
    free = shutil.disk_usage(place).free
    if free < needed:
        raise UserError(
            f"{place}: {free // MIB:,} MiB are free and {whose} about {needed // MIB:,} more "
            f"({kept}, of up to {ceil(largest / MIB):,} MiB, and logs): make room, choose "
            "another folder with --runs, or begin all the same with --whatever-room"
        )
