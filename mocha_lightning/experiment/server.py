"""The process of which runs are forks: it has imported, once, all that they need.

So a run begins at once instead of after the seconds that importing takes, and yet knows nothing of
what this process or another run has done.
"""

import multiprocessing
import os
from collections.abc import Iterable
from multiprocessing import resource_tracker
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running

from mocha_lightning.experiment.signals import STOPS, stops_wait
from mocha_lightning.tracking import WandbSettings

CLASSES = "MOCHA_LIGHTNING_CLASSES"
"""The environment variable that says which classes it imports."""
PRELOADED = ("mocha_lightning.experiment.execute", "mocha_lightning.experiment.preload")
"""Modules that take seconds to import."""
OF_WANDB = "wandb.sdk.launch"
"""The same of what wandb.init imports."""


def preloaded(wandb: WandbSettings) -> list[str]:
    """Modules that runs need: nobody waits for W&B where it is off."""
    return [*PRELOADED, *([] if wandb.is_off else [OF_WANDB])]


def begin_server(threads: int, classes: Iterable[str], wandb: WandbSettings) -> ForkServerContext:
    """Have it begin to import, where it does not run yet, and wait for nothing.

    Args:
        threads: of the libraries that compute.
        classes: import paths of those that runs need.
        wandb: what W&B is told of the runs.
    """
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(preloaded(wandb))
    os.environ[CLASSES] = " ".join(sorted(set(classes)))
    # Read by libraries when they are loaded, and by Python when it starts.
    os.environ.update({"OMP_NUM_THREADS": str(threads), "PYTHONHASHSEED": "0"})
    # Python begins it with the server otherwise, and has Ctrl-C heard again when it has.
    resource_tracker.ensure_running()
    # SIGTERM, too, may reach a whole group of processes (timeout sends it so). Runs hear it as soon
    # as they can end in good order; without the server nobody would wait for them.
    with stops_wait(STOPS):
        ensure_running()
    return server
