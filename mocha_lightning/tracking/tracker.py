"""All talk with W&B is done by a thread of its own.

A service that has died, hangs or is not reachable costs a line in the run's log and nothing else.

W&B's own step is the training step. A run that was stopped and goes on is told again from its
first step. Online, W&B says which steps it has, and gets the rest under the same id. Offline it
can ask nobody and writes another folder; since each folder holds the whole history up to its end,
the newest, ``wandb/latest-run``, is the one to upload: ``wandb sync`` of it replaces whatever was
uploaded of that run before. (Uploading every part would do the same, one after the other; but
``wandb sync`` refuses them all where a killed process left one without a record.)
"""

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from mocha_lightning.errors import in_a_line
from mocha_lightning.tracking import beginning, jobs
from mocha_lightning.tracking.identity import Identity
from mocha_lightning.tracking.settings import WandbSettings

FAILED_SECONDS = 8
"""How long a run that failed waits for W&B to take what it still has."""


class Tracker:
    """Tells W&B about one run.

    Args:
        folder: the run's, where offline files are kept too.
        settings: where W&B keeps it, and whether it does.
        identity: what the run is.
    """

    def __init__(self, folder: Path, settings: WandbSettings, identity: Identity) -> None:
        self.folder = folder
        self.settings = settings
        self.identity = identity
        self._jobs: SimpleQueue[Callable[[Any], None] | None] = SimpleQueue()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        if settings.is_off:
            self._started.set()
        else:
            self._thread.start()

    @property
    def listens(self) -> bool:
        """Whether anybody will see what is recorded."""
        return self._thread.is_alive()

    def wait_until_started(self) -> None:
        """Wait for W&B to begin, or to fail, or for too long."""
        if not self._started.wait(beginning.START_SECONDS):
            self._say("it has not begun yet, and the run does not wait for it", "is slow")

    def log(self, step: int, scores: Mapping[str, float], pictures: Sequence[Path] = ()) -> None:
        """Record all scores of a step, and pictures; steps come in order and each comes once."""
        self._tell(partial(jobs.log, step, scores, pictures))

    def show(self, picture: Path) -> None:
        """Record a picture of the run's end, under the name of its file."""
        self._tell(partial(jobs.show, picture))

    def tabulate(self, name: str, records: Sequence[Mapping[str, Any]]) -> None:
        """Record a table of the first records' texts and numbers; a column for each key."""
        self._tell(partial(jobs.tabulate, name, list(records[: jobs.MOST_ROWS])))

    def keep(self, checkpoint: Path, step: int, scores: Mapping[str, float]) -> None:
        """Record a checkpoint as an artifact, where that is asked for."""
        if self.settings.checkpoints:
            digest = self.identity.config["config_hash"]
            name = self.identity.artifact
            self._tell(partial(jobs.keep, checkpoint, name, step, dict(scores), digest))

    def finish(self, exit_code: int, summary: Mapping[str, Any], tags: Sequence[str] = ()) -> None:
        """Record what came out and close the run: 0 is finished, anything else failed.

        Args:
            exit_code: of the run.
            summary: what came out.
            tags: words besides those that it began with, as ``pruned``.
        """
        self._tell(partial(jobs.finish, exit_code, dict(summary), tags))
        self._jobs.put(None)
        if not self.listens:
            return
        with_checkpoint = self.settings.checkpoints
        well = beginning.UPLOAD_SECONDS if with_checkpoint else beginning.FINISH_SECONDS
        self._thread.join(FAILED_SECONDS if exit_code else well)
        if self._thread.is_alive():
            self._say("it does not answer, its record of this run may lack the end")

    def _tell(self, job: Callable[[Any], None]) -> None:
        if self.listens:
            self._jobs.put(job)

    def _work(self) -> None:
        try:
            run = beginning.begin(self.folder, self.settings, self.identity, self._say)
            self._started.set()
            while (job := self._jobs.get()) is not None:
                job(run)
        # Whatever goes wrong in there is W&B's and must not become the run's.
        except BaseException as error:
            self._say(in_a_line(error))
        finally:
            self._started.set()

    def _say(self, problem: str, what: str = "is off for this run") -> None:
        print(f"W&B {what}: {problem}", file=sys.stderr, flush=True)
