"""One run as a process: ``python -m mocha_lightning.experiment.run FOLDER``.

The folder holds ``config.yaml``; what the run leaves there is listed in ``places.py``.
"""

import argparse
import errno
import os
import signal
import sys
import threading
import traceback
from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.exits import BUSY, DONE, FAILED, MISTAKE, STOPPED
from mocha_lightning.experiment.imports import make_folder_importable
from mocha_lightning.experiment.locks import BusyError, locked
from mocha_lightning.experiment.result import finished
from mocha_lightning.experiment.spec import RunSpec

DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


def main() -> None:
    """Do the run and end the process."""
    parser = argparse.ArgumentParser(prog="python -m mocha_lightning.experiment.run")
    parser.add_argument("folder", type=Path, help="a run's folder with its config.yaml")
    parser.add_argument(
        "--stop-with-stdin",
        action="store_true",
        help="end at once when standard input closes: the process that holds it has died",
    )
    arguments = parser.parse_args()
    # Ctrl-C in a terminal reaches all processes of it; the runner decides what becomes of a run.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    if arguments.stop_with_stdin:
        threading.Thread(target=_die_with_stdin, daemon=True).start()
    make_folder_importable()
    code = _run(arguments.folder)
    sys.stdout.flush()
    sys.stderr.flush()
    # All is written. What libraries still want to do at exit (W&B: wait for its service) may hang.
    os._exit(code)


def _run(folder: Path) -> int:
    try:
        with locked(folder):
            spec = RunSpec.read(folder)
            if not finished(folder, spec):
                from mocha_lightning.experiment.execute import execute

                execute(spec, folder, os.environ.get("WANDB_MODE", "offline"))
        return DONE
    except BusyError:
        return BUSY
    except SystemExit:
        print("stopped; the same command goes on from the last checkpoint", file=sys.stderr)
        return STOPPED
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return MISTAKE
    except OSError as error:
        if error.errno not in DISK:
            traceback.print_exc()
        else:
            print(f"error: cannot write to {folder}: {error.strerror}: make room", file=sys.stderr)
        return FAILED
    except Exception:
        traceback.print_exc()
        return FAILED


def _stop(*_: object) -> None:
    raise SystemExit(STOPPED)


def _die_with_stdin() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(FAILED)


if __name__ == "__main__":
    main()
