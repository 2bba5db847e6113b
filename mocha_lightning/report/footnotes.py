"""Which runs need a second look, and why: what its mark `!` stands for."""

import math
from collections.abc import Iterable, Iterator

from mocha_lightning.report.formats import decimal, percent
from mocha_lightning.report.names import seed_names
from mocha_lightning.report.results import Result

# Decoding that is cut off more often than this says more about the cap than about the model.
LENGTH_CAP_SHARE = 0.03
# A model that attends to nothing at most of its outputs has learnt the language, not to listen.
OFF_THE_END_SHARE = 0.5
# So many points more under expected attention: the head has not learned to decide.
LOST_POINTS = 10.0
# An error rate that empty outputs have, too: nothing has been learnt that could be lost.
NOTHING_LEARNT = 100.0
# Of more runs than these a sentence would be a table.
MOST_NAMED = 8


def footnotes(runs: Iterable[Result]) -> Iterator[str]:
    """Yield a sentence for each reason to doubt runs, with those runs; none where all are healthy.

    Args:
        runs: of all variants, those of one variant together.
    """
    found: dict[str, dict[str, list[tuple[int, str]]]] = {}
    for run in runs:
        for reason, detail in doubts(run):
            found.setdefault(reason, {}).setdefault(run.variant, []).append((run.seed, detail))
    for reason, variants in found.items():
        who, told = [], []
        for variant, cases in variants.items():
            named = cases[:MOST_NAMED]
            more = f" and {len(cases) - len(named)} more" if len(cases) > len(named) else ""
            who.append(f"{variant}, {seed_names([seed for seed, _ in named])}{more}")
            details = [detail for _, detail in named]
            told.append(", ".join(details if len(set(details)) > 1 else details[:1]))
        yield f"{'; '.join(who)}: {reason} ({'; '.join(dict.fromkeys(told))})"


def doubts(run: Result) -> Iterator[tuple[str, str]]:
    """Yield what runs may have in common, and what is this run's own in it."""
    if run.diverged:
        # That none of its scores is a number is no second reason.
        yield "ended early", run.ended
        return
    broken = [
        name
        for name, metric in run.metrics.items()
        if not math.isfinite(metric.value)
        and (name == run.metric.name or name.rpartition("/")[2] == "loss")
    ]
    if broken:
        yield "some scores are not a number", " and ".join(broken)
    expected = run.metrics.get(run.metric.expected)
    if expected is not None and run.metric.in_per_cent:
        hard = run.metrics[run.metric.name].value
        lost = hard - expected.value if run.metric.mode == "min" else expected.value - hard
        learnt = run.metric.mode == "max" or expected.value < NOTHING_LEARNT
        if lost > LOST_POINTS and learnt:
            reason = "hard decoding loses what training has learnt: the head does not decide yet"
            yield reason, f"{decimal(hard)}, and {decimal(expected.value)} under expected attention"
    off = run.metrics.get(run.metric.beside("off_the_end"))
    if off is not None and off.value > OFF_THE_END_SHARE:
        yield "most outputs were made with nothing attended to", percent(off.value)
    cap = run.metrics.get(run.metric.beside("length_cap"))
    if cap is not None and cap.value > LENGTH_CAP_SHARE:
        share = percent(LENGTH_CAP_SHARE, 0)
        reason = f"decoding hit the length cap on more than {share} of the test set"
        yield reason, percent(cap.value)
