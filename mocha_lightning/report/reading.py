"""Reading what the runs of an experiment left: `runs/<experiment>/<variant>/seed-<n>/result.json`.

Reading is strict. A result that cannot be trusted (truncated, of a newer schema, of another
experiment or metric) stops the report with the file and the key; it is never skipped.
"""

import math
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml
from pydantic import TypeAdapter, ValidationError

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import EXPERIMENT, RESULT, run_folder, run_folders
from mocha_lightning.experiment.schema import check_known
from mocha_lightning.report.alike import unlike_runs
from mocha_lightning.report.results import Expectation, MetricChoice, Result, RunName, Runs
from mocha_lightning.report.strict import first_problem, read_json

REMEDY = "delete the file and run that seed again"
NAMED = 8
"""Experiments that are offered in the place of one that is not there, at most."""
_ROUNDING = 1e-3
"""Scores went through 32-bit numbers."""
_RESULT = TypeAdapter(Result)
_EXPECTATION = TypeAdapter(Expectation)


def read_runs(folder: Path) -> Runs:
    """Read every result of the experiment in `runs/<experiment>`; its name is the folder's.

    Raises:
        UserError: no `experiment.yaml`, no finished run, or a file that cannot be trusted.
    """
    expectation = _read_expectation(folder)
    experiment = folder.resolve().name
    wanted = [RunName(name, seed) for name in expectation.variants for seed in expectation.seeds]
    found = set(_finished(folder))
    results = {
        name: tuple(
            _expected_result(folder, experiment, RunName(name, seed), expectation.metric)
            for seed in expectation.seeds
            if RunName(name, seed) in found
        )
        for name in expectation.variants
    }
    if not any(results.values()):
        raise UserError(
            f"{folder}: none of its {len(wanted)} runs is finished yet: do them, or go on with "
            f"them, by `{_run_command(folder)}`"
        )
    unlike = next(unlike_runs(results), None)
    if unlike is not None:
        run, problem = unlike
        raise UserError(
            f"{_path(folder, run)}: {problem}: delete the older ones and run them again"
        )
    return Runs(
        experiment=experiment,
        expectation=expectation,
        results=results,
        missing=tuple(run for run in wanted if run not in found),
        unexpected=tuple(sorted(found.difference(wanted))),
    )


def read_result(path: Path, remedy: str = REMEDY) -> Result:
    """Read one `result.json`.

    Args:
        path: the file's.
        remedy: what to do where it cannot be used.

    Raises:
        UserError: the file cannot be read, is truncated, has a newer schema or a wrong value.
    """
    result = read_json(path, _RESULT, remedy)
    check_known(path, result.schema)
    return result


def check_whose(
    path: Path, result: Result, wanted: Mapping[str, object], told_by: str, remedy: str
) -> None:
    """Check that a result is that of the run in whose folder it lies.

    Args:
        path: the result's.
        result: what was read there.
        wanted: what some of its keys must have.
        told_by: the file that says so, beside the folder's name.
        remedy: what to do where they have something else.

    Raises:
        UserError: one has.
    """
    for key, value in wanted.items():
        found = getattr(result, key)
        if found != value:
            raise UserError(
                f"{path}: key {key}: {found!r} where this folder and {told_by} say {value!r}; "
                f"{remedy}"
            )


def _read_expectation(folder: Path) -> Expectation:
    path = folder / EXPERIMENT
    remedy = f"mend it, or remove {path} and run the experiment's own file again to have it written"
    try:
        content = yaml.safe_load(path.read_bytes())
        expectation = _EXPECTATION.validate_python(content)
    except FileNotFoundError as error:
        begun = sorted(each.parent.name for each in folder.parent.glob(f"*/{EXPERIMENT}"))
        other = f", or give the name of one that was: {', '.join(begun[:NAMED])}" if begun else ""
        raise UserError(
            f"{folder}: no experiment was begun here (there is no {path.name}): begin it by "
            f"`mocha-lightning run` with its file{other}"
        ) from error
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: make it readable, and report again") from error
    except ValidationError as error:
        raise UserError(f"{path}: {first_problem(error)}: {remedy}") from error
    # YAML's own, of bytes that are no text, and of what looks like a date and is none.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}: {remedy}") from error
    name = folder.resolve().name
    if expectation.name not in (None, name):
        raise UserError(
            f"{path}: key name: {expectation.name!r}, and this is the folder of {name!r}: {remedy}"
        )
    for index, pair in enumerate(expectation.comparisons):
        for variant in pair:
            if variant not in expectation.variants:
                raise UserError(
                    f"{path}: key comparisons.{index}: no variant is named {variant!r}: {remedy}"
                )
    return expectation


def _finished(folder: Path) -> Iterator[RunName]:
    try:
        for variant, seed, run in run_folders(folder):
            # A link to what is not there is a result that cannot be read.
            if (run / RESULT).exists() or (run / RESULT).is_symlink():
                yield RunName(variant, seed)
    except OSError as error:
        raise UserError(
            f"{error.filename}: {error.strerror}: make it readable, or take it out of {folder}, "
            "and report again"
        ) from error


def _path(folder: Path, run: RunName) -> Path:
    return run_folder(folder, run.variant, run.seed) / RESULT


def _expected_result(folder: Path, experiment: str, run: RunName, metric: MetricChoice) -> Result:
    """Read a run's result and check that it is that run's, judged by the experiment's metric."""
    path = _path(folder, run)
    result = read_result(path)
    check_whose(
        path,
        result,
        {"experiment": experiment, "variant": run.variant, "seed": run.seed, "metric": metric},
        f"its {EXPERIMENT}",
        "move the file out of this experiment, or run that again",
    )
    if metric.name not in result.metrics:
        raise _unusable(path, f"key metrics.{metric.name}: missing, and the experiment needs it")
    if impossible := impossible_score(result):
        raise _unusable(path, impossible)
    return result


def impossible_score(result: Result) -> str | None:
    """Say which score cannot be; None where all can."""
    for name, metric in result.metrics.items():
        key, value = f"key metrics.{name}.value", metric.value
        if result.diverged and not math.isnan(value):
            return f"{key}: {value:g}, where the run ended early ({result.ended})"
        low, high = _range(name, metric.signature)
        if value < low - _ROUNDING or value > high + _ROUNDING:
            return f"{key}: {value:g} is not from {low:g} to {high:g}"
    return None


def _range(name: str, signature: str) -> tuple[float, float]:
    """What a score of the suite's own can be."""
    if signature.startswith("share of "):
        return 0.0, 1.0
    if not MetricChoice(name, "min").in_per_cent:
        return -math.inf, math.inf
    # There may be more errors than words.
    return 0.0, math.inf if "/wer" in name else 100.0


def _run_command(folder: Path) -> str:
    """Say what does the experiment in a folder, whichever file and options it once came from."""
    name = folder.resolve().name
    words = ["mocha-lightning", "run", str(folder / EXPERIMENT), "--name", name]
    # Without --runs the runs would go to the default folder of all runs.
    if folder != Path("runs") / name:
        words += ["--runs", str(folder.resolve().parent)]
    return shlex.join(words)


def _unusable(path: Path, problem: str) -> UserError:
    return UserError(f"{path}: {problem}; {REMEDY}")
