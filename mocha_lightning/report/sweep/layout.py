"""The tables and sentences of a sweep's report as text, the same wherever they are read."""

import json
import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from mocha_lightning.experiment.shown import shown
from mocha_lightning.report.cautions import made_by
from mocha_lightning.report.formats import ABSENT, decimal, interval
from mocha_lightning.report.names import seed_names
from mocha_lightning.report.sweep.content import SweepReport, TrialRow
from mocha_lightning.report.sweep.ranking import Ranking, Shares
from mocha_lightning.report.sweep.reading import AT_WORK
from mocha_lightning.report.sweep.space import Dimension

SCORE = "mean (SD)"
_MEANINGS = {
    "trial": "its number, in the order of their beginnings; its runs are in `trial-<number>`.",
    "state": (
        "complete: all its runs came to their end; pruned: given up, since others did better by "
        "then; diverged: training broke down; failed: an error ended it, and the next command "
        "tries the setting again; at work: begun, and not over or interrupted."
    ),
    SCORE: (
        "of a complete trial, over its seeds, of each run's best validation. Standard deviations "
        "are with N - 1 below the sum."
    ),
    "seed": "the best validation of the run with that seed; NaN where it diverged.",
    "steps": "training steps made, in all runs together, as far as validations and results tell.",
    "reason": "why it is not complete.",
}
_PAPER_WINDOWS = (
    "The paper (section 4.1) found for speech recognition that all of w = 2, 3, 4, 6 and 8 did "
    "about equally well."
)


def caption(report: SweepReport) -> str:
    """Say what was sought, by which metric, in how many runs."""
    definition = report.definition
    return (
        f"{report.name}: {definition.variant} of {definition.experiment}; {measured(report)}, "
        f"{better(report)} is better. Each setting has {_runs(len(definition.seeds))} of "
        f"{definition.steps:,} steps ({seed_names(definition.seeds)}), and its value is the mean "
        "over them of the best validation. No run has looked at the test split."
    )


def measured(report: SweepReport) -> str:
    """Name the metric, and its unit where it is known."""
    metric = report.definition.metric
    return metric.name + (", in per cent" if metric.in_per_cent else "")


def better(report: SweepReport) -> str:
    """Say which values are better: `lower` or `higher`."""
    return "lower" if report.definition.metric.mode == "min" else "higher"


def incomplete(report: SweepReport) -> str | None:
    """Say how many trials are not there yet; None where all are."""
    if not report.missing:
        return None
    said = f"INCOMPLETE: {report.missing} of {report.definition.trials} trials are missing"
    at_work, failed = report.states[AT_WORK], report.states["failed"]
    if at_work:
        said += f", {at_work} of them begun"
    if failed:
        said += f"; {failed} failed, and the same command tries what failed again"
    return f"{said}."


def counted(report: SweepReport) -> str:
    """Say how trials ended."""
    each = ", ".join(f"{count} {state}" for state, count in report.states.items())
    return f"Trials: {each}; {report.definition.trials} planned."


def space_lines(report: SweepReport) -> list[str]:
    """Say what each path was sought among, a line each."""
    return [f"{each.path}: {_written(each)}" for each in report.definition.dimensions]


def searched(report: SweepReport) -> str:
    """Say what chose the settings and what gave them up."""
    definition = report.definition
    sampler, pruner = definition.sampler, definition.pruner
    chosen = "Every setting of a grid" if sampler == "grid" else f"Chosen by {_class(sampler)}"
    pruned = "not pruned" if pruner is None else f"pruned by {_class(pruner)}"
    return f"{chosen} (seed {definition.seed}); {pruned}."


def verdicts(report: SweepReport) -> list[str]:
    """Say which setting is best, how sure that is, and which are as good."""
    found = report.standing
    if found is None:
        return ["No setting is complete yet: there is no best one."]
    return [_best(report, found), *_near(report, found), *_shares(report, found)]


def advice(report: SweepReport) -> str:
    """Say why the best is not as good as it looks, and what tells how good it is."""
    said = (
        "The best of many settings looks better than it is: it was chosen for looking so (the "
        "winner's curse), and no interval above makes up for that. What it is worth is told by "
        f"runs with fresh seeds, of it and of the variant as it was: `{comparison_command(report)}`"
    )
    if report.best_written:
        return f"{said}."
    return f"{said} (a file that the sweep's own command writes when all of its trials are over)."


def trial_table(report: SweepReport) -> pd.DataFrame:
    """Lay out a row of text for each trial; without the column of reasons where none has any."""
    dimensions = report.definition.dimensions
    table = pd.DataFrame([_cells(row, report, dimensions) for row in report.rows])
    return table if any(row.reason for row in report.rows) else table.drop(columns="reason")


def seed_columns(report: SweepReport) -> list[str]:
    """Names of the table's columns of single runs."""
    return [f"seed {seed}" for seed in report.definition.seeds]


def meanings(report: SweepReport) -> dict[str, str]:
    """Say what the table's columns mean; those of the parameters have their paths."""
    paths = {each.name: f"`{each.path}`." for each in report.definition.dimensions}
    columns = {**_MEANINGS, **paths}
    table = ["trial", "state", *paths, SCORE, "seed", "steps", "reason"]
    absent = () if any(row.reason for row in report.rows) else ("reason",)
    return {name: columns[name] for name in table if name not in absent}


def left_out_lines(left_out: Mapping[str, str]) -> list[str]:
    """Say why there is no picture of some kinds."""
    return [f"{heading}: {reason}." for heading, reason in left_out.items()]


def trial_records(report: SweepReport) -> Iterator[dict[str, object]]:
    """A record for each trial, with every digit."""
    definition = report.definition
    for row in report.rows:
        values = row.values or dict.fromkeys(each.path for each in definition.dimensions)
        yield {
            "number": row.number,
            "state": row.state,
            **{each.path: values[each.path] for each in definition.dimensions},
            definition.metric.name: row.mean,
            "sd": row.sd,
            "n": len(row.scores),
            **{f"seed {seed}": _score(row.scores, seed) for seed in definition.seeds},
            "steps": row.steps,
            "started": row.started,
            "ended": row.ended,
            "reason": row.reason,
        }


def origin(report: SweepReport) -> str:
    """Say, in one line, how to do the sweep again: command, commit, data."""
    if not report.runs:
        return "No run is finished: there is no command, commit or data to tell of."
    return f"Reproduce: {made_by(report.runs)}"


def setting(report: SweepReport, values: Mapping[str, Any]) -> str:
    """Name a setting: `chunk_size = 4, offset = -2.3`."""
    return ", ".join(
        f"{each.name} = {value_text(values[each.path])}" for each in report.definition.dimensions
    )


def value_text(value: Any) -> str:
    """A value of a setting as a reader is told it; the files keep every digit."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value)


def comparison_command(report: SweepReport) -> str:
    """What compares the best setting with the variant as it was."""
    return shlex.join(["mocha-lightning", "run", report.best_file])


def _best(report: SweepReport, found: Ranking) -> str:
    row = next(row for row in report.rows if row.number == found.best)
    assert row.values is not None
    seeds = seed_names(report.definition.seeds)
    summary, metric = found.summary, report.definition.metric
    said = (
        f"The best of {_settings(found.settings)} is {setting(report, row.values)} "
        f"(trial {row.number}): {metric.name} {decimal(summary.mean, report.digits)}"
        f"{' %' * metric.in_per_cent}"
    )
    if summary.sd is None:
        return (
            f"{said}, of one run ({seeds}). One seed lies, and the best of {found.settings} is "
            "also the luckiest: nothing here says how much of its lead is luck."
        )
    spread = f"SD {decimal(summary.sd, report.digits)}"
    sure = (
        f"95 % interval {interval(summary.interval, report.digits)}, Student's t over the runs"
        if summary.interval
        else "no interval, since its runs are all equal"
    )
    return f"{said} on average over {_runs(summary.n)} ({seeds}; {spread}; {sure})."


def _near(report: SweepReport, found: Ranking) -> Iterator[str]:
    near = found.near
    if found.settings == 1:
        yield "One setting alone is complete: there is none to tell it from."
        return
    if near is None:
        yield (
            "How many settings are as good as the best cannot be said: with one run each, nothing "
            "tells by how much two runs of one setting differ. Give the sweep two seeds or more."
        )
        return
    runs = len(report.definition.seeds)
    error, pooled = (decimal(each, report.digits) for each in (near.standard_error, near.pooled_sd))
    verb = "was" if len(near.trials) == 1 else "were"
    yield (
        f"{len(near.trials)} of {_settings(found.settings)} {verb} within one standard error of "
        f"the best, which is one of them. The error is that of a mean over {runs} seeds, {error}: "
        f"the standard deviation within settings, pooled over all complete ones ({pooled}), by "
        f"the root of {runs}. That a setting is not within is no proof that it is worse."
    )
    if near.uneven:
        own = decimal(near.own_sd, report.digits)
        yield (
            "Beware: worse settings vary far more from run to run than those within, and make the "
            f"error large. With the deviation of those within alone ({own}) in the pooled one's "
            f"place, {near.by_own} of {found.settings} would be within."
        )
    if found.repeated:
        yield (
            f"{found.repeated} complete trials try a setting again that another had tried; each "
            "setting is counted once."
        )


def _shares(report: SweepReport, found: Ranking) -> Iterator[str]:
    for each in found.shares:
        yield _share(each)
        if each.name.rpartition(".")[2] == "chunk_size" and "wer" in report.definition.metric.name:
            yield _PAPER_WINDOWS


def _share(shares: Shares) -> str:
    said = f"Of {shares.name}: {listed(shares.near)} had a setting within one standard error"
    others = [value for value in shares.complete if value not in shares.near]
    if others:
        said += f", {listed(others)} had none"
    if shares.never:
        said += f"; {listed(shares.never)} never came to be complete"
    return f"{said}."


def listed(values: Iterable[Any]) -> str:
    """Join values: `2, 3 and 4`."""
    *others, last = map(value_text, values)
    return f"{', '.join(others)} and {last}" if others else last


def _cells(row: TrialRow, report: SweepReport, dimensions: Sequence[Dimension]) -> dict[str, str]:
    score = decimal(row.mean, report.digits)
    if row.sd is not None:
        score += f" ({decimal(row.sd, report.digits)})"
    return {
        "trial": str(row.number),
        "state": row.state,
        **{
            each.name: ABSENT if row.values is None else value_text(row.values[each.path])
            for each in dimensions
        },
        SCORE: score,
        **{
            f"seed {seed}": decimal(_score(row.scores, seed), report.digits)
            for seed in report.definition.seeds
        },
        "steps": decimal(row.steps, 0),
        "reason": row.reason or ABSENT,
    }


def _score(scores: Mapping[int, float | None], seed: int) -> float | None:
    """NaN of a run that diverged, None where there is no run."""
    if seed not in scores:
        return None
    score = scores[seed]
    return math.nan if score is None else score


def _written(dimension: Dimension) -> str:
    if dimension.choices:
        return f"one of {', '.join(map(value_text, dimension.choices))}"
    kind = "whole numbers" if dimension.whole else "numbers"
    step = f", in steps of {value_text(dimension.step)}" if dimension.step else ""
    scale = ", on a logarithmic scale" if dimension.log else ""
    return f"{kind} from {value_text(dimension.low)} to {value_text(dimension.high)}{step}{scale}"


def _class(written: Any) -> str:
    return shown(written) if isinstance(written, dict) else str(written)


def _runs(number: int) -> str:
    return f"{number} run{'s' * (number > 1)}"


def _settings(number: int) -> str:
    return f"{number} complete setting{'s' * (number > 1)}"
