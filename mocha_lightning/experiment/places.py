"""Names of the files of an experiment, a sweep and a run, and how files are written whole."""

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

EXPERIMENT = "experiment.yaml"
SWEEP = "sweep.yaml"
"""What a sweep is; a folder that has it is a sweep's."""
STUDY = ".study"
"""The name by which a study knows a sweep's folder: its trials are there and nowhere else."""
TRIAL = "trial.json"
"""There if and only if the trial of a sweep is over."""
_TRIAL_NAME = re.compile(r"trial-(\d{4,15})")
BEST_SETTING = "best.yaml"
"""An experiment: a sweep's variant as it was, and with the best setting."""
CONFIG = "config.yaml"
LOG = "log.txt"
LOCK = ".lock"
PROGRESS = "progress.json"
CURVES = "curves.jsonl"
CHECKPOINTS = "checkpoints"
PREDICTIONS = "predictions.jsonl"
RESULT = "result.json"
PRUNED = "pruned.json"
"""There if a run is to be given up, or was: what its sweep knows by then is enough."""
PICTURES = "pictures"
"""What is drawn as a run trains: a folder for each step."""

UNWRITABLE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    *(errno.EROFS, errno.EACCES, errno.EPERM),
)
"""Errors of a folder that a user can mend: a full disk, one that is read only, no permission."""


def run_folder(experiment: Path, variant: str, seed: int) -> Path:
    """The folder of one run within ``runs/<experiment>``."""
    return experiment / variant / f"seed-{seed}"


def is_sweep(folder: Path) -> bool:
    """Whether a folder of runs is a sweep's."""
    try:
        return (folder / SWEEP).exists()
    except OSError:
        return False


def trial_name(number: int) -> str:
    """What a trial of a sweep is called, as a variant of the experiment that the sweep is."""
    return f"trial-{number:04d}"


def trial_numbers(sweep: Path) -> list[int]:
    """The trials of a sweep that have a folder, in order."""
    named = ((path, _TRIAL_NAME.fullmatch(path.name)) for path in sweep.glob("trial-*"))
    # Nothing writes trial-00007, which would be taken for trial-0007.
    return sorted(
        int(found[1])
        for path, found in named
        if found and path.name == trial_name(int(found[1])) and path.is_dir()
    )


def run_folders(experiment: Path) -> Iterator[tuple[str, int, Path]]:
    """What is there of :func:`run_folder`, by variant and seed.

    Raises:
        OSError: a folder cannot be looked into, or is a link to what is not there. Path.glob would
            take it for an empty one, and its runs for runs that nobody has done.
    """
    for variant in _folders(experiment):
        for run in _folders(variant):
            seed = run.name.removeprefix("seed-")
            # The runner writes no seed-01, which would be taken for seed-1.
            if run.name != seed and seed.isdecimal() and seed == str(int(seed)):
                yield variant.name, int(seed), run


def _folders(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        # What begins with a dot is somebody else's, and may well be a link to nowhere.
        if not path.name.startswith(".") and stat.S_ISDIR(path.stat().st_mode):
            yield path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a name to write under; the file appears when all is written and on the disk.

    So nobody sees half a file, not even after a crash of the machine.

    Raises:
        OSError: it cannot be written; it names a file, which a full disk by itself does not.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole; text as UTF-8."""
    with whole(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def write_all(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files of a folder: none takes its place before all are written and on the disk.

    Args:
        folder: it is made where it is not there.
        files: by path within it; the first is the last to take its place.

    Raises:
        OSError: one cannot be written; those that were there are what they were.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
            unfinished = stack.enter_context(whole(path))
            with unfinished.open("wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                # A full disk may be found out only here.
                os.fsync(file.fileno())
