"""A/A: one variant against itself under other seeds. Whoever finds a difference there is broken."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from scipy import stats

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.whole_files import write_all
from mocha_lightning.report.cautions import made_by
from mocha_lightning.report.formats import decimal, p_statement, p_value
from mocha_lightning.report.precision import decimals
from mocha_lightning.report.results import Result
from mocha_lightning.report.statistics import SIGNIFICANCE, Comparison, compare
from mocha_lightning.report.written import runs_behind

PAGE = "aa.md"
SUSPICIOUS = 0.01
"""Chance alone does as badly as this once in a hundred times."""
FEW_TRIALS = 10
TESTS = {
    "Student's t": "student_p",
    "Welch's t": "welch_p",
    "permutation": "permutation_p",
}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Runs of one variant under some seeds against its runs under others."""

    seeds_a: tuple[int, ...]
    seeds_b: tuple[int, ...]
    comparison: Comparison


@dataclass(frozen=True, kw_only=True)
class AA:
    """All trials of a variant; no run is in two of them, so they are independent."""

    experiment: str
    variant: str
    metric: str
    side: int
    trials: tuple[Trial, ...]
    left: int
    """Runs that were too few for another trial."""
    runs: str
    """How the runs were made: commands, commits, data."""

    def p_values(self, test: str) -> list[float]:
        """Those of one of :data:`TESTS`, in ascending order."""
        found = (getattr(trial.comparison, TESTS[test]) for trial in self.trials)
        return sorted(p for p in found if p is not None)


def build_aa(folder: Path, side: int, variant: str | None = None) -> AA:
    """Compare a variant's runs with each other, ``side`` seeds against the next ``side``.

    Args:
        folder: `runs/<experiment>`, or the report of it.
        side: runs on either side of a comparison, at least 2.
        variant: which one; None where the experiment has one alone.

    Raises:
        UserError: the runs cannot be trusted; there are several variants, not this one, or too few
            runs for one comparison; a run diverged.
    """
    runs = runs_behind(folder)
    names = list(runs.results)
    if variant is None and len(names) > 1:
        raise UserError(f"{folder}: has several variants: name one of {', '.join(names)}")
    name = names[0] if variant is None else variant
    if name not in runs.results:
        raise UserError(f"{folder}: no variant is named {name!r}: name one of {', '.join(names)}")
    results = runs.results[name]
    if len(results) < 2 * side:
        raise UserError(
            f"{folder}: {len(results)} runs of {name} are finished, and a comparison of {side} "
            f"against {side} takes {2 * side}: do more, by --seeds, or ask for a smaller --side"
        )
    metric = runs.expectation.metric.name
    starts = range(0, len(results) - 2 * side + 1, 2 * side)
    trials = tuple(_trial(results[at : at + 2 * side], metric, folder) for at in starts)
    return AA(
        experiment=runs.experiment,
        variant=name,
        metric=metric,
        side=side,
        trials=trials,
        left=len(results) - 2 * side * len(trials),
        runs=made_by(results),
    )


def sentences(found: AA) -> list[str]:
    """Say what was compared, and whether chance alone would do so."""
    trials = f"{len(found.trials)} comparison{'s' if len(found.trials) > 1 else ''}"
    said = [
        f"{found.experiment}: {found.variant} against itself, {found.metric}: {trials} of "
        f"{found.side} seeds against {found.side} others, no run in two of them."
    ]
    if found.left:
        runs = "The last run is" if found.left == 1 else f"The last {found.left} runs are"
        said[0] += f" {runs} in none, too few for another."
    for test in ("Student's t", "Welch's t"):
        values = found.p_values(test)
        if not values:
            said.append(f"{test}: no test, as no runs vary.")
            continue
        below = sum(p < SIGNIFICANCE for p in values)
        more = stats.binomtest(below, len(values), SIGNIFICANCE, alternative="greater").pvalue
        shape = stats.kstest(values, "uniform").pvalue
        if min(more, shape) < SUSPICIOUS:
            verdict = "NOT as chance would have it: look for what differs between the two sides"
        elif len(values) < FEW_TRIALS:
            verdict = (
                f"no sign of a fault, of fewer than {FEW_TRIALS} comparisons, which tell little"
            )
        else:
            verdict = "as chance would have it"
        said.append(
            f"{test}: {below} of {len(values)} p values are below {SIGNIFICANCE:g}, where "
            f"{SIGNIFICANCE * len(values):.2g} are expected (so many or more: "
            f"{p_statement(more)}); against the uniform distribution (Kolmogorov and Smirnov): "
            f"{p_statement(shape)}. That is {verdict}."
        )
    return said


def write_aa(found: AA, origin: str, reports_folder: Path) -> Path:
    """Write `reports/<experiment>/`: `aa.md`, `aa.csv` and `figures/aa.png`; give the folder.

    Args:
        found: what was compared.
        origin: the line that says how the page is made of the runs.
        reports_folder: the folder of all reports.
    """
    # Half a second to import, and needed only here.
    from mocha_lightning.pictures.figure import png
    from mocha_lightning.pictures.p_values import draw_p_values

    folder = reports_folder / found.experiment
    parts = (
        f"# A/A: {found.variant}",
        *sentences(found),
        "![p values](figures/aa.png)",
        "The same as numbers; the file `aa.csv` has every digit:",
        _table(found),
        f"Runs: {found.runs}",
        origin,
    )
    files: dict[str, str | bytes] = {
        PAGE: "\n\n".join(parts) + "\n",
        "aa.csv": _csv(found),
        "figures/aa.png": png(draw_p_values({test: found.p_values(test) for test in TESTS})),
    }
    try:
        write_all(folder, files)
    except OSError as error:
        raise UserError(
            f"{folder}: cannot write the report: {error.strerror}; free the place or choose "
            "another folder (--reports)"
        ) from error
    return folder


def _trial(results: Sequence[Result], metric: str, folder: Path) -> Trial:
    half = len(results) // 2
    sides = results[:half], results[half:]
    try:
        found = compare(*([run.metrics[metric].value for run in side] for side in sides))
    except ValueError as error:
        raise UserError(f"{folder}: {error}") from error
    seeds_a, seeds_b = (tuple(run.seed for run in side) for side in sides)
    return Trial(seeds_a=seeds_a, seeds_b=seeds_b, comparison=found)


def _table(found: AA) -> str:
    """A row for each trial: its seeds, the difference, the p value of each test."""
    every = [trial.comparison for trial in found.trials]
    digits = decimals([each.difference for each in every], [each.mean_a for each in every])
    frame = pd.DataFrame(
        {
            "seeds": ", ".join(map(str, trial.seeds_a)),
            "against seeds": ", ".join(map(str, trial.seeds_b)),
            "difference": decimal(trial.comparison.difference, digits, sign=True),
            **{
                f"{test} (p)": p_value(getattr(trial.comparison, column))
                for test, column in TESTS.items()
            },
        }
        for trial in found.trials
    )
    align = ["left", "left", *["right"] * (frame.shape[1] - 2)]
    return frame.to_markdown(index=False, colalign=align, disable_numparse=True)


def _csv(found: AA) -> str:
    frame = pd.DataFrame(
        {
            "seeds_a": " ".join(map(str, trial.seeds_a)),
            "seeds_b": " ".join(map(str, trial.seeds_b)),
            "difference": trial.comparison.difference,
            **{column: getattr(trial.comparison, column) for column in TESTS.values()},
        }
        for trial in found.trials
    )
    return frame.to_csv(index=False, lineterminator="\n")
