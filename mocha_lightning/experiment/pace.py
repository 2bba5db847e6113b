"""How long steps take, from what runs have said of themselves, and what that means for the rest."""

from collections.abc import Iterable, Sequence

from mocha_lightning.experiment.progress import Progress


def seconds_per_step(seen: Iterable[Progress]) -> float | None:
    """Over all steps of some runs, their validations included; None where none has any."""
    counted = [each for each in seen if each.step and each.seconds]
    steps = sum(each.step for each in counted)
    return sum(each.seconds for each in counted) / steps if steps else None


def side_by_side(rest: Sequence[float], jobs: int) -> float:
    """How long runs take of which so many go on at once, each as long as it takes alone.

    Args:
        rest: of each run.
        jobs: at once.
    """
    return max(max(rest), sum(rest) / min(jobs, len(rest)))


def duration(seconds: float) -> str:
    """Time as people say it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
