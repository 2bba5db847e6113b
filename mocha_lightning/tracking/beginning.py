"""How a W&B run begins: online where it can, else offline, and never with a question."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mocha_lightning.errors import in_a_line
from mocha_lightning.tracking.identity import Identity
from mocha_lightning.tracking.settings import WandbSettings

START_SECONDS = 30
"""How long a run waits for W&B to begin."""
ANSWER_SECONDS = 12
"""How long its server is given to answer; to give up and begin offline takes W&B as long again."""
LOCAL_SECONDS = 120
"""How long it may take to begin where no server is asked: only a machine at its limits is slow."""
FINISH_SECONDS = 60
UPLOAD_SECONDS = 600
"""How long a run waits for W&B to take what it still has, without and with a checkpoint."""
ID_FILE = "wandb-id.txt"

Say = Callable[[str, str], None]
"""Tells of a problem, and what W&B does for it."""


def begin(folder: Path, settings: WandbSettings, identity: Identity, say: Say) -> Any:
    """Begin a W&B run, or go on with it.

    Args:
        folder: the run's, where W&B's files are kept too.
        settings: where W&B keeps it.
        identity: what it is.
        say: is told why it is offline, where it should not be.
    """
    # W&B would send reports on itself, and complain in lines of its own where it cannot.
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    # One of another process, in which a run that fails to begin could not be ended.
    os.environ.pop("WANDB_SERVICE", None)
    import wandb

    wanted = settings.wanted_mode
    if wanted != "online":
        return _init(folder, settings, identity, wanted)
    try:
        # It never asks: where nobody has logged in, the run is kept offline.
        if wandb.login(prompt=False, verify=False):
            return _init(folder, settings, identity, "online")
        if settings.mode == "online":
            say("there is no login", "goes on offline")
    except Exception as error:
        say(in_a_line(error), "goes on offline")
        wandb.teardown()
    return _init(folder, settings, identity, "offline")


def _init(folder: Path, settings: WandbSettings, identity: Identity, mode: Any) -> Any:
    import wandb

    run = wandb.init(
        project=settings.wanted_project,
        entity=settings.entity,
        id=_id(folder),
        # Offline, a resumed run's steps would be counted on from those already uploaded.
        resume="allow" if mode == "online" else None,
        group=identity.group,
        job_type=identity.job_type,
        name=identity.name,
        tags=identity.tags,
        config=identity.config,
        dir=folder,
        mode=mode,
        reinit="create_new",
        settings=wandb.Settings(
            silent=True,
            console="off",
            disable_git=True,
            save_code=False,
            x_save_requirements=False,
            # Else that of the process which has imported wandb and of which this is a fork.
            x_stats_pid=os.getpid(),
            init_timeout=ANSWER_SECONDS if mode == "online" else LOCAL_SECONDS,
            finish_timeout=UPLOAD_SECONDS if settings.checkpoints else FINISH_SECONDS,
        ),
    )
    run.define_metric("step", hidden=True)
    run.define_metric(identity.metric, step_metric="step", summary=f"{identity.mode},last")
    run.define_metric("val/*", step_metric="step", summary="min,max,last")
    # No pattern may fit a name that another fits: W&B takes one of the two by chance.
    run.define_metric("train/*", step_metric="step")
    run.define_metric("pictures/*", step_metric="step")
    return run


def _id(folder: Path) -> str:
    """The same for a run that goes on, another for one that begins anew."""
    path = folder / ID_FILE
    # A disk that was full has left it empty, and W&B takes no empty one.
    known = path.read_text(errors="replace") if path.exists() else ""
    if not re.fullmatch(r"[\w-]+", known):
        known = os.urandom(8).hex()
        path.write_text(known)
    return known
