"""The processes of a run beside its first: they compute their share, and write nothing."""

import os
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

import pytorch_lightning as pl
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from mocha_lightning.errors import DivergedError, NotANumberError, UserError
from mocha_lightning.experiment.checkpoints import Checkpoints
from mocha_lightning.experiment.exits import DONE, FAILED
from mocha_lightning.experiment.machine import pin
from mocha_lightning.experiment.membership import Membership
from mocha_lightning.experiment.parent import end_with_parent
from mocha_lightning.experiment.places import CHECKPOINTS
from mocha_lightning.experiment.problem import Problem
from mocha_lightning.experiment.resolving import open_data
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.trainer import build_trainer, share_of
from mocha_lightning.training.determinism import BUILDING, SeededSteps, seed_all
from mocha_lightning.training.divergence import StopOnDivergence
from mocha_lightning.training.same_buffers import SameBuffers


def assist(
    spec: RunSpec,
    folder: Path,
    member: Membership,
    place: tuple[str, int],
    problems: Connection,
) -> None:
    """Compute a share of a run in a process of its own, and end the process.

    Args:
        spec: the run.
        folder: the run's, which need not be seen here.
        member: which of the processes this is.
        place: host and port where the first waits for the others.
        problems: is told what went wrong.
    """
    # Whoever asks a run to stop means its first process, whose end ends this one.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    end_with_parent()
    code = FAILED
    assistant = None
    try:
        assistant = _Assistant(spec, folder, member)
        assistant.complete(place)
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
        text = f"{member} failed: {said}"
        problems.send(Problem("failed", text, trace=traceback.format_exc()))
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
        factory, self.data = open_data(spec.config, spec.seed, share)
        spec.check_data(self.data.sha256)
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

    def complete(self, place: tuple[str, int]) -> None:
        """Train and test together with the others."""
        store = TCPStore(*place, self.member.processes, is_master=False)
        self.member.meet(store, self.trainer.strategy.root_device)
        self.trainer.fit(self.task, datamodule=self.data, ckpt_path=self.checkpoints.begun())
        self.task.load_state_dict(self.checkpoints.best_weights())
        if self.spec.metric.tested:
            self.trainer.test(self.task, datamodule=self.data, verbose=False)
