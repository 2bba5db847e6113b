"""The processes of a run beside its first: they compute their share, and write nothing."""

import os
import signal
import sys
import threading
import time
import traceback
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

import pytorch_lightning as pl
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from mocha_lightning.errors import NotANumberError, UserError
from mocha_lightning.experiment.checkpoints import Checkpoints
from mocha_lightning.experiment.exits import DONE, FAILED
from mocha_lightning.experiment.machine import pin
from mocha_lightning.experiment.membership import HOST, Membership
from mocha_lightning.experiment.places import CHECKPOINTS
from mocha_lightning.experiment.resolving import instantiate
from mocha_lightning.experiment.run import die_with_parent
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.trainer import build_trainer, share_of
from mocha_lightning.training.determinism import BUILDING, SeededSteps, seed_all
from mocha_lightning.training.divergence import DivergedError, StopOnDivergence
from mocha_lightning.training.same_buffers import SameBuffers


@dataclass(frozen=True)
class Problem:
    """Why a process ended early: a mistake of the user's, no number, or an error of the code's."""

    kind: Literal["mistake", "diverged", "failed"]
    text: str
    step: int = 0
    at: float = field(default_factory=time.time)


def assist(
    spec: RunSpec, folder: Path, member: Membership, port: int, problems: Connection
) -> None:
    """Compute a share of a run in a process of its own, and end the process.

    Args:
        spec: the run.
        folder: the run's; checkpoints are read there.
        member: which of the processes this is.
        port: where the first waits for the others.
        problems: is told what went wrong.
    """
    # Whoever asks a run to stop means its first process, whose end ends this one.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    threading.Thread(target=die_with_parent, daemon=True).start()
    code = FAILED
    assistant = None
    try:
        assistant = _Assistant(spec, folder, member)
        assistant.complete(port)
        code = DONE
    except UserError as error:
        problems.send(Problem("mistake", str(error)))
    except DivergedError as error:
        problems.send(Problem("diverged", error.what, error.step))
    except NotANumberError as error:
        step = assistant.trainer.global_step if assistant else 0
        problems.send(Problem("diverged", str(error), step))
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        problems.send(Problem("failed", f"{said}\n{traceback.format_exc()}"))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class _Assistant:
    """What a run's first process does, too, but for all that it writes."""

    def __init__(self, spec: RunSpec, folder: Path, member: Membership) -> None:
        pin(spec.threads)
        self.spec = spec
        self.member = member
        arguments = spec.config["trainer"]
        share = share_of(arguments, member)
        factory, self.data = instantiate(spec.config)
        self.data.seed = spec.seed
        self.data.take(share)
        self.data.setup("fit")
        seed_all(spec.seed, BUILDING)
        self.task = factory(self.data.spec)
        self.checkpoints = Checkpoints(folder / CHECKPOINTS, spec.metric, spec.config_hash)
        callbacks: list[pl.Callback] = [
            SeededSteps(spec.seed, share),
            SameBuffers(),
            StopOnDivergence(),
            self.checkpoints,
        ]
        self.trainer = build_trainer(arguments, callbacks, member)

    def complete(self, port: int) -> None:
        """Train and test together with the others."""
        store = TCPStore(HOST, port, self.member.processes, is_master=False)
        self.member.meet(store, self.trainer.strategy.root_device)
        self.trainer.fit(self.task, datamodule=self.data, ckpt_path=self.checkpoints.begun())
        if self.spec.metric.tested:
            best = self.checkpoints.read_own(self.checkpoints.best)
            self.task.load_state_dict(best["state_dict"])
            self.trainer.test(self.task, datamodule=self.data, verbose=False)
