"""Two finished runs of one test set, as two systems of the same texts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mocha_lightning.errors import UserError
from mocha_lightning.evaluation.records import HYPOTHESIS, Predictions
from mocha_lightning.evaluation.run_result import RunResult
from mocha_lightning.report.signatures import DECODING

REMEDY = "only runs of one test set can be set against each other"


def side_by_side(
    one: RunResult, predictions: Predictions, other: RunResult, others: Predictions
) -> Predictions:
    """The texts of both, each run a system, named by its folder.

    Args:
        one: a run's result.
        predictions: its texts.
        other: another's.
        others: its texts.

    Raises:
        UserError: they are not of the same test set, or what is measured of them is not the same.
    """
    counts = [len(each.references) for each in (predictions, others)]
    if counts[0] != counts[1]:
        raise UserError(
            f"--against: {one.run} has {counts[0]:,} texts and {other.run} {counts[1]:,}: {REMEDY}"
        )
    order = _order(predictions.names, others.names) or range(counts[0])
    for here, there in enumerate(order):
        if predictions.references[here] != others.references[there]:
            raise UserError(
                f"--against: text {here + 1} of {one.run} is not the same in {other.run}: {REMEDY}"
            )
    if one.of != other.of:
        raise UserError(
            f"--against: {one.run} is scored by {' and '.join(one.of)} and {other.run} by "
            f"{' and '.join(other.of)}: give runs of one task"
        )
    names = ["/".join(run.parts[-2:]) for run in (one.run, other.run)]
    if names[0] == names[1]:
        names = [str(run) for run in (one.run, other.run)]
    theirs = others.systems[HYPOTHESIS]
    made = (predictions.systems[HYPOTHESIS], [theirs[there] for there in order])
    return replace(predictions, systems=dict(zip(names, made, strict=True)))


def check_measured_alike(runs: Sequence[RunResult], names: Iterable[str]) -> None:
    """Check that runs' scores are of the same measure, however each of them decodes.

    Args:
        runs: their results.
        names: of scores.

    Raises:
        UserError: they are not.
    """
    for name in names:
        lines = {run.run: run.signatures([name])[name] for run in runs}
        if len({line.partition(DECODING)[0] for line in lines.values()}) > 1:
            how = " and ".join(f"{line} in {folder}" for folder, line in lines.items())
            raise UserError(f"--against: {name} is not measured alike: {how}")


def _order(names: list[str] | None, theirs: list[str] | None) -> list[int]:
    """Where each text is among the other's, by its name; nothing where names do not tell."""
    if names is None or theirs is None or set(names) != set(theirs):
        return []
    at = {name: place for place, name in enumerate(theirs)}
    return [at[name] for name in names]
