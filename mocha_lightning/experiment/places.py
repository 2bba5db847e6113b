"""Names of the files of an experiment, a sweep and a run."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

EXPERIMENT = "experiment.yaml"
SWEEP = "sweep.yaml"
"""What a sweep is; a folder that has it is a sweep's."""
STUDY = ".study"
"""The name by which a study knows a sweep's folder: its trials are there and nowhere else."""
TRIAL = "trial.json"
"""There if and only if the trial of a sweep is over."""
TrialEnd = Literal["complete", "pruned", "diverged", "failed"]
"""How it says that the trial ended."""
_TRIAL_NAME = re.compile(r"trial-(\d{4,15})")
BEST_SETTING = "best.yaml"
"""An experiment: a sweep's variant as it was, and with the best setting."""
CONFIG = "config.yaml"
LOG = "log.txt"
LOCK = ".lock"
PROGRESS = "progress.json"
CURVES = "curves.jsonl"
CHECKPOINTS = "checkpoints"
BEST_CHECKPOINT, LAST_CHECKPOINT = "best.ckpt", "last.ckpt"
"""In that folder."""
PREDICTIONS = "predictions.jsonl"
RESULT = "result.json"
PRUNED = "pruned.json"
"""There if a run is to be given up, or was: what its sweep knows by then is enough."""
PICTURES = "pictures"
"""What is drawn as a run trains: a folder for each step."""


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


def trials_over(sweep: Path) -> list[Path]:
    """What is written of a sweep's trials when they are over, in order."""
    return sorted(sweep.glob(f"trial-*/{TRIAL}"))


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
