"""Names of the files of a sweep."""

from pathlib import Path

SWEEP = "sweep.yaml"
"""What the sweep is; a folder that has it is a sweep's."""
TRIAL = "trial.json"
"""There if and only if the trial is over."""
STUDY = ".study"
"""The name by which the study knows the folder: its trials are here and nowhere else."""
BEST = "best.yaml"
"""An experiment: the variant as it was, and with the best setting."""


def trial_name(number: int) -> str:
    """What a trial is called, as a variant of the experiment that the sweep is."""
    return f"trial-{number:04d}"


def trial_folder(sweep: Path, number: int) -> Path:
    """The folder of a trial, which holds those of its runs."""
    return sweep / trial_name(number)
