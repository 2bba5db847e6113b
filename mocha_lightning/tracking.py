"""One Weights & Biases run for each run, and a run that does not care whether W&B lives.

All talk with W&B is done by a thread of its own: a service that has died, hangs or is not
reachable costs a line in the run's log and nothing else.

W&B's own step is the training step. A run that was stopped and goes on is told again from its
first step. Online, W&B says which steps it has, and gets the rest under the same id. Offline it
can ask nobody and writes another folder; since each folder holds the whole history up to its end,
the newest, ``wandb/latest-run``, is the one to upload: ``wandb sync`` of it replaces whatever was
uploaded of that run before. (Uploading every part would do the same, one after the other; but
``wandb sync`` refuses them all where a killed process left one without a record.)
"""

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

START_SECONDS = 30
"""How long a run waits for W&B to begin."""
FINISH_SECONDS = 60
FAILED_SECONDS = 8
"""How long a run waits for W&B to take what it still has, when all is well and when it is not."""
MOST_ROWS = 50
"""Rows of a table: to look at, not to evaluate."""
ID_FILE = "wandb-id.txt"


def is_off(mode: str) -> bool:
    """Whether W&B is to know nothing of a run: what takes seconds for it can be left out."""
    return _wanted(mode) == "disabled"


class Tracker:
    """Tells W&B about one run.

    Args:
        folder: the run's, where offline files are kept too.
        mode: online, offline, disabled, or auto: what WANDB_MODE says, else online where there
            is a login.
        group: the experiment.
        job_type: the variant.
        name: the run's.
        tags: words to find it by.
        config: the run's whole configuration.
    """

    def __init__(
        self,
        folder: Path,
        mode: str,
        *,
        group: str,
        job_type: str,
        name: str,
        tags: Sequence[str],
        config: dict[str, Any],
    ) -> None:
        self.folder = folder
        self._init = partial(
            self._wandb_init,
            group=group,
            job_type=job_type,
            name=name,
            tags=tags,
            config=config,
        )
        self._jobs: SimpleQueue[Callable[[Any], None] | None] = SimpleQueue()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(mode,), daemon=True)
        self._thread.start()

    def wait_until_started(self) -> None:
        """Wait for W&B to begin, or to fail, or for too long."""
        if not self._started.wait(START_SECONDS):
            self._say("it has not begun yet")

    def log(self, step: int, scores: Mapping[str, float]) -> None:
        """Record all scores of a step; steps come in order and each comes once."""
        self._jobs.put(partial(_log, step, scores))

    def show(self, picture: Path) -> None:
        """Record a picture, under the name of its file."""
        self._jobs.put(partial(_show, picture))

    def tabulate(self, name: str, records: Sequence[Mapping[str, Any]]) -> None:
        """Record a table of the first records' texts and numbers; a column for each key."""
        self._jobs.put(partial(_tabulate, name, list(records[:MOST_ROWS])))

    def finish(self, exit_code: int, summary: Mapping[str, Any]) -> None:
        """Record what came out and close the run: 0 is finished, anything else failed."""
        self._jobs.put(lambda run: run.summary.update(dict(summary)))
        self._jobs.put(lambda run: run.finish(exit_code=exit_code))
        self._jobs.put(None)
        self._thread.join(FAILED_SECONDS if exit_code else FINISH_SECONDS)
        if self._thread.is_alive():
            self._say("it does not answer, its record of this run may lack the end")

    def _work(self, mode: str) -> None:
        try:
            run = None if is_off(mode) else self._begin(mode)
            self._started.set()
            while (job := self._jobs.get()) is not None:
                if run is not None:
                    job(run)
        # Whatever goes wrong in there is W&B's and must not become the run's.
        except BaseException as error:
            self._say(_in_a_line(error))
        finally:
            self._started.set()

    def _begin(self, mode: str) -> Any:
        import wandb

        wanted = _wanted(mode)
        if wanted != "online":
            return self._init(wanted)
        try:
            # It never asks: where nobody has logged in, the run is kept offline.
            if wandb.login(prompt=False, verify=False):
                return self._init("online")
            if mode == "online":
                self._say("there is no login", "goes on offline")
        except Exception as error:
            self._say(_in_a_line(error), "goes on offline")
            wandb.teardown()
        return self._init("offline")

    def _wandb_init(self, mode: Any, **identity: Any) -> Any:
        import wandb

        run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", "mocha-lightning"),
            id=self._id(),
            # Offline, a resumed run's steps would be counted on from those already uploaded.
            resume="allow" if mode == "online" else None,
            **identity,
            dir=self.folder,
            mode=mode,
            reinit="create_new",
            settings=wandb.Settings(
                silent=True,
                console="off",
                disable_git=True,
                save_code=False,
                x_save_requirements=False,
                x_disable_stats=True,
                init_timeout=START_SECONDS / 2,
                finish_timeout=FINISH_SECONDS,
            ),
        )
        run.define_metric("*", step_metric="step")
        return run

    def _id(self) -> str:
        """The same for a run that goes on, another for one that begins anew."""
        path = self.folder / ID_FILE
        if not path.exists():
            path.write_text(os.urandom(8).hex())
        return path.read_text()

    def _say(self, problem: str, what: str = "is off for this run") -> None:
        print(f"W&B {what}: {problem}", file=sys.stderr, flush=True)


def _wanted(mode: str) -> str:
    return os.environ.get("WANDB_MODE", "online") if mode == "auto" else mode


def _log(step: int, scores: Mapping[str, float], run: Any) -> None:
    # A run that goes on makes some steps again, to the same bits: W&B has them already.
    if step >= run.starting_step:
        # At once: by default W&B waits for the next step, in case there is more for this one.
        run.log({"step": step, **scores}, step=step, commit=True)


def _show(picture: Path, run: Any) -> None:
    import wandb

    # Not in the history, whose steps are those of training.
    run.summary.update({f"pictures/{picture.stem}": wandb.Image(str(picture))})


def _tabulate(name: str, records: Sequence[Mapping[str, Any]], run: Any) -> None:
    import wandb

    columns: list[Any] = [
        key
        for key in dict.fromkeys(key for record in records for key in record)
        # Only what has a cell's size: an alignment has not.
        if all(isinstance(record.get(key), str | int | float | None) for record in records)
    ]
    rows: list[Any] = [[record.get(key) for key in columns] for record in records]
    run.summary.update({f"tables/{name}": wandb.Table(columns, rows, allow_mixed_types=True)})


def _in_a_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
