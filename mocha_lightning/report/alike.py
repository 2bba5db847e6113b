"""Which runs of an experiment cannot stand side by side."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mocha_lightning.experiment.base import base_difference, base_of
from mocha_lightning.report.results import Result, RunName


def unlike_runs(results: Mapping[str, Sequence[Result]]) -> Iterator[tuple[RunName, str]]:
    """Which runs cannot stand beside the others of their variant, or of the experiment, and why.

    Args:
        results: by variant.
    """
    for repeats in results.values():
        yield from _unlike_repeats(repeats)
    yield from _unlike_bases([run for repeats in results.values() for run in repeats[:1]])


def _unlike_repeats(repeats: Sequence[Result]) -> Iterator[tuple[RunName, str]]:
    """Runs of one variant that are not repeats of one thing under different seeds."""
    for result in repeats[1:]:
        first = repeats[0]
        name = result.metric.name
        for key, here, there in (
            ("config", *_apart(result, first)),
            ("sources", result.sources, first.sources),
            ("parameters", result.parameters, first.parameters),
            ("data.sha256", result.data.sha256, first.data.sha256),
            (
                f"metrics.{name}.signature",
                result.metrics[name].signature,
                first.metrics[name].signature,
            ),
            ("metrics", sorted(result.metrics), sorted(first.metrics)),
        ):
            if here != there:
                yield (
                    RunName(result.variant, result.seed),
                    f"key {key}: {here} where seed {first.seed} of the same variant has {there}; "
                    "such runs cannot share a mean",
                )


def _apart(one: Result, other: Result) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where two configurations differ, place of the data apart."""
    if one.config == other.config and one.places == other.places:
        return {}, {}
    bases = [base_of(run.config, (), run.places) for run in (one, other)]
    keys = [key for key in {**bases[0], **bases[1]} if bases[0].get(key) != bases[1].get(key)]
    return {key: bases[0].get(key) for key in keys}, {key: bases[1].get(key) for key in keys}


def _unlike_bases(firsts: Sequence[Result]) -> Iterator[tuple[RunName, str]]:
    """Variants that differ in more than what variants say."""
    varied = {path for run in firsts for path in run.differences}
    for run in firsts[1:]:
        if changed := base_difference(firsts[0], run, varied):
            yield (
                RunName(run.variant, run.seed),
                f"between it and {firsts[0].variant} differs what no variant changes ({changed}); "
                "such variants cannot be compared",
            )
