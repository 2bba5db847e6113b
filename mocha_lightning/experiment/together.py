"""A run's first process and the others: watched by it, and ended with it."""

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from multiprocessing.connection import wait
from pathlib import Path

import torch
from torch import distributed
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from mocha_lightning.errors import (
    DivergedError,
    GivenUpError,
    NotANumberError,
    ProcessError,
    UserError,
)
from mocha_lightning.experiment.door import Door, needs_cluster
from mocha_lightning.experiment.exits import FAILED, PART_LOST
from mocha_lightning.experiment.membership import Membership
from mocha_lightning.experiment.others import Other, Others
from mocha_lightning.experiment.spec import RunSpec

HERE = "127.0.0.1"
END_SECONDS = 60
"""What the others get to end by themselves when all is done."""
CAUSE_SECONDS = 5
"""How long after an error here one looks whether another process is why."""
HANG_SECONDS = 20
"""How long after another's end this process may go on waiting for it."""
OWN = (DivergedError, NotANumberError, GivenUpError, UserError, OSError)
"""Errors that the end of another process is no reason for."""


def together(
    spec: RunSpec, folder: Path, member: Membership, device: torch.device, door: Door | None
) -> AbstractContextManager[None]:
    """Have the other processes of a run compute with this one, as long as it lasts.

    Args:
        spec: the run.
        folder: the run's.
        member: this process, the run's first.
        device: that it computes on.
        door: where other nodes come.

    Raises:
        DivergedError: another process came to what is no number.
        UserError: another process met a mistake of the user's; other nodes have no way here.
        ProcessError: another process failed or was killed, or its node is lost.
    """
    if member.processes == 1:
        return nullcontext()
    return _together(spec, folder, member, device, door)


@contextmanager
def _together(
    spec: RunSpec, folder: Path, member: Membership, device: torch.device, door: Door | None
) -> Iterator[None]:
    if member.nodes > 1 and door is None:
        raise needs_cluster(member.nodes)
    store = TCPStore(HERE, 0, member.processes, is_master=True, wait_for_workers=False)
    others = Others()
    try:
        own = member.of_node(0)[1:]
        others.begin(multiprocessing.get_context("spawn"), spec, folder, own, (HERE, store.port))
        if door is not None:
            for visitor in door.visitors(member.nodes, store.port):
                others.all.append(visitor)
        for each in others.all:
            threading.Thread(target=_watch, args=(each, others), daemon=True).start()
        member.meet(store, device)
        yield
        others.join(END_SECONDS)
    except Exception as error:
        if not isinstance(error, OWN) and (problem := others.problem(CAUSE_SECONDS)):
            raise problem.as_error() from None
        raise
    finally:
        others.end()
        # What is done from now on, this process does alone.
        if distributed.is_initialized():
            with suppress(RuntimeError):
                distributed.destroy_process_group()


def _watch(other: Other, others: Others) -> None:
    """End this process where it hangs since another has ended."""
    wait([other.sentinel])
    if others.ended or not other.problem():
        return
    time.sleep(HANG_SECONDS)
    if not others.ended and (problem := others.found()):
        error = problem.as_error()
        print(f"error: {error}", file=sys.stderr, flush=True)
        os._exit(PART_LOST if isinstance(error, ProcessError) and error.lost else FAILED)
