"""Whether two results were measured alike, and in what they were not."""

from mocha_lightning.report.results import Result

DECODING = "|attention:"
"""Up to here a signature says what is measured, and from here on how the model decodes."""


def comparable(one: Result, other: Result) -> bool:
    """Whether two results are of the same measure.

    Their signatures must be the same. Only two classes of task, which a variant names, may decode
    each in a way of its own, since one cannot decode as the other does (CTC has no attention to be
    hard): what is measured of it must be the same still.
    """
    here, there = (signature(run) for run in (one, other))
    if _class(one) == _class(other):
        return here == there
    return here.partition(DECODING)[0] == there.partition(DECODING)[0]


def decoded_apart(a: Result, b: Result) -> str | None:
    """Say how two comparable results were decoded; None where that was alike."""
    ways = [f"attention:{signature(run).partition(DECODING)[2]}" for run in (a, b)]
    if ways[0] == ways[1]:
        return None
    return f"decoded differently ({a.variant} by {ways[0]}, {b.variant} by {ways[1]})"


def signature(result: Result) -> str:
    """That of the experiment's metric."""
    return result.metrics[result.metric.name].signature


def _class(result: Result) -> str:
    return str(result.config["task"]["class_path"])
