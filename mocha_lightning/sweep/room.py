"""Room on the disk for what a sweep keeps."""

from pathlib import Path

from mocha_lightning.experiment.places import run_folder, trials_over
from mocha_lightning.experiment.room import bytes_there, check_room, checkpoint_bytes
from mocha_lightning.sweep.definition import Sweep


def check_room_for_trials(sweep: Sweep, folder: Path, parameters: int, jobs: int) -> None:
    """Refuse trials that would not find room if all of them were completed.

    Of a trial that is over only the best checkpoints stay. One at work has the last one of each of
    its runs too, and a third while that is written.

    Args:
        sweep: the sweep.
        folder: ``runs/<sweep>``, which may not exist yet.
        parameters: of a model.
        jobs: trials at once.

    Raises:
        UserError: the disk has less.
    """
    over = {path.parent.name for path in trials_over(folder)}
    left = max(0, sweep.trials - len(over))
    begun = {path.name for path in folder.glob("trial-*")} - over
    there = bytes_there(run_folder(folder, trial, seed) for trial in begun for seed in sweep.seeds)
    runs, at_once = left * len(sweep.seeds), min(jobs, left)
    size = checkpoint_bytes(parameters)
    check_room(
        folder,
        size * (runs + at_once * (len(sweep.seeds) + 1)) - there,
        runs,
        whose=f"{left} trials of {len(sweep.seeds)} runs need" if left > 1 else "1 trial needs",
        kept="the best checkpoint of each run, more of those at work",
        largest=size,
    )
