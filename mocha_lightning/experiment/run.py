"""One run as a process.

The folder holds ``config.yaml``; what the run leaves there is listed in ``places.py``.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TextIO

from mocha_lightning.errors import GivenUpError, ProcessError, UserError
from mocha_lightning.experiment.door import Door
from mocha_lightning.experiment.exits import (
    BEGINNING,
    BUSY,
    DONE,
    FAILED,
    GIVEN_UP,
    MISTAKE,
    PART_LOST,
    STOPPED,
)
from mocha_lightning.experiment.locks import BusyError, locked
from mocha_lightning.experiment.parent import end_with_parent
from mocha_lightning.experiment.places import CONFIG, LOG
from mocha_lightning.experiment.progress import GIVEN_UP_PHASE, read_progress, write_progress
from mocha_lightning.experiment.result import finished
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.whole_files import UNWRITABLE
from mocha_lightning.tracking import WandbSettings

OTHER_NAME = "give one of the two another name (--name)"
"""What to do where two commands want different runs in one folder."""


def do_for_runner(
    folder: Path, wandb: WandbSettings, config_hash: str, door: Door | None = None
) -> None:
    """Do a run in a process of the runner's: it speaks to its log and dies with the runner.

    The process ends with an exit code of ``exits.py``.

    Args:
        folder: the run's, with its ``config.yaml``.
        wandb: what W&B is told of it.
        config_hash: of the run that is meant; another command may have written another there.
        door: where other nodes come, if it is done by several.
    """
    with (folder / LOG).open("a", encoding="utf-8") as log:
        begin_log(log)
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    # Ctrl-C in a terminal reaches all its processes; the runner decides what becomes of a run.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    signal.signal(signal.SIGTERM, stopping_once())
    # The server of processes leaves it blocked.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    code = do(folder, wandb, config_hash, door)
    sys.stdout.flush()
    sys.stderr.flush()
    # All is written. What libraries still want to do at exit (W&B: wait for its service) may hang.
    os._exit(code)


def begin_log(log: TextIO) -> None:
    """Write what each process of a run begins with."""
    log.write(f"{BEGINNING}{datetime.now():%Y-%m-%d %H:%M:%S}\n")
    log.flush()


def do(folder: Path, wandb: WandbSettings, config_hash: str, door: Door | None = None) -> int:
    """Do a run in this process, unless another does it or it is done.

    Args:
        folder: the run's, with its ``config.yaml``.
        wandb: what W&B is told of it.
        config_hash: of the run that is meant; another command may have written another there.
        door: where other nodes come, if it is done by several.

    Returns:
        An exit code of ``exits.py``. Whatever went wrong was printed.
    """
    try:
        with locked(folder):
            spec = RunSpec.read(folder)
            if config_hash != spec.config_hash:
                raise UserError(
                    f"{folder / CONFIG}: another command has written another configuration there: "
                    f"{OTHER_NAME}"
                )
            if finished(folder, spec):
                return DONE
            try:
                from mocha_lightning.experiment.execute import execute

                execute(spec, folder, wandb, door)
            except GivenUpError:
                write_progress(folder, replace(read_progress(folder), phase=GIVEN_UP_PHASE))
                return GIVEN_UP
            except Exception as error:
                said = f"{type(error).__name__}: {error}".splitlines()[0]
                write_progress(folder, replace(read_progress(folder), phase="failed", problem=said))
                raise
        return DONE
    except BusyError:
        return BUSY
    except (SystemExit, KeyboardInterrupt) as error:
        if isinstance(error, SystemExit) and error.code != STOPPED:
            print(f"error: the experiment's code ended the process itself: {error!r}")
            return FAILED
        print("stopped; the same command goes on from the last checkpoint", file=sys.stderr)
        return STOPPED
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return MISTAKE
    except ProcessError as error:
        print(f"error: {error}", file=sys.stderr)
        return PART_LOST if error.lost else FAILED
    except OSError as error:
        if error.errno not in UNWRITABLE:
            traceback.print_exc()
        else:
            place = error.filename or folder
            print(f"error: {place}: {error.strerror}: make room or give access", file=sys.stderr)
        return FAILED
    except Exception:
        traceback.print_exc()
        return FAILED


def stop(*_: object) -> None:
    """End a run where it stands: a handler of signals."""
    raise SystemExit(STOPPED)


def stopping_once() -> Callable[[int, object], None]:
    """A handler that does so the first time.

    Several may ask, the runner and whoever asked that, and closing files is not to be interrupted.
    """
    came: list[int] = []

    def hear(number: int, _: object) -> None:
        came.append(number)
        if len(came) == 1:
            stop()

    return hear
