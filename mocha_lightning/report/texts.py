"""What the runs' predictions say beside their scores: baselines, parts of the test set, samples."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mocha_lightning.experiment.places import PREDICTIONS, run_folder
from mocha_lightning.metrics.baselines import LEAD_SENTENCES, commonest, lead
from mocha_lightning.report.groups import (
    RunGroups,
    Sizes,
    Spread,
    groups_of,
    sizes_of,
    spread,
)
from mocha_lightning.report.measures import USUAL, measures_beside, scores_of
from mocha_lightning.report.names import run_names
from mocha_lightning.report.predictions import Prediction, read_predictions
from mocha_lightning.report.results import RunName, Runs
from mocha_lightning.report.samples import Sample, chosen, samples


@dataclass(frozen=True, kw_only=True)
class BaselineRow:
    """What a baseline scores on the test set, by measure in per cent."""

    name: str
    scores: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    """How the runs of a variant did on the documents of one order, by measure in per cent."""

    variant: str
    order: str
    documents: int
    n: int
    scores: Mapping[str, Spread]


@dataclass(frozen=True, kw_only=True)
class DistanceRow:
    """Exact match of a variant at one reordering distance, in per cent."""

    variant: str
    distance: int
    documents: int
    exact_match: Spread


@dataclass(frozen=True, kw_only=True)
class Texts:
    """All that a report draws from predictions; each part is empty where there is nothing to say.

    Attributes:
        scores: of each variant's documents, by measure, as its runs have told them.
        baselines: of the same documents.
        sizes: of the parts of the test set.
        groups: by variant and order.
        distances: by variant and distance; not of a variant with a run that diverged.
        samples: examples side by side.
        sample_seeds: by variant, the run that the samples are of.
        warnings: what keeps some of it from being said.
    """

    scores: Mapping[str, Mapping[str, Spread]] = field(default_factory=dict)
    baselines: tuple[BaselineRow, ...] = ()
    sizes: Sizes = field(default_factory=lambda: Sizes({}, {}))
    groups: tuple[GroupRow, ...] = ()
    distances: tuple[DistanceRow, ...] = ()
    samples: tuple[Sample, ...] = ()
    sample_seeds: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def read_texts(folder: Path, runs: Runs) -> Texts:
    """Read the predictions of each run once, and keep of them what a report tells.

    Args:
        folder: ``runs/<experiment>``.
        runs: its finished runs; what diverged has no predictions.

    Raises:
        UserError: predictions that cannot be read.
    """
    sentences = next(iter(runs)).data.description.get("lead_sentences", LEAD_SENTENCES)
    found = _Found(measures_beside(runs.expectation.metric.name), sentences)
    for run in runs:
        if not run.diverged:
            path = run_folder(folder, run.variant, run.seed) / PREDICTIONS
            found.add(RunName(run.variant, run.seed), read_predictions(path))
    if not found.examples:
        return Texts()
    one_test_set = not found.elsewhere
    return Texts(
        scores=_told_scores(runs, found.measures) if found.of_documents else {},
        baselines=tuple(found.baselines) if one_test_set else (),
        sizes=found.sizes,
        groups=tuple(_group_rows(runs, found)) if one_test_set else (),
        distances=tuple(_distance_rows(runs, found)) if one_test_set else (),
        samples=samples(found.shown_ids, found.shown),
        sample_seeds=found.seeds,
        warnings=tuple(found.warnings()),
    )


class _Found:
    """What is kept of the predictions of the runs so far; of the texts, only a few."""

    def __init__(self, measures: tuple[str, ...], lead_sentences: int) -> None:
        self.measures = measures
        self.lead_sentences = lead_sentences
        self.examples: dict[str, int] = {}
        """Hashes of the test set's, by name."""
        self.of_documents = False
        self.sizes = Sizes({}, {})
        self.baselines: list[BaselineRow] = []
        self.groups: dict[str, dict[int, RunGroups]] = {}
        self.shown_ids: tuple[str, ...] = ()
        self.shown: dict[str, dict[str, Prediction]] = {}
        self.seeds: dict[str, int] = {}
        self.elsewhere: list[RunName] = []
        self.lacking: list[RunName] = []

    def add(self, run: RunName, predictions: Sequence[Prediction] | None) -> None:
        """Take what is needed of a run's predictions."""
        if predictions is None:
            self.lacking.append(run)
            return
        examples = {prediction.id: hash(prediction.example) for prediction in predictions}
        if not self.examples:
            self.examples = examples
            self._begin(predictions)
        if examples != self.examples:
            self.elsewhere.append(run)
        if run.variant not in self.shown:
            self.seeds[run.variant] = run.seed
            self.shown[run.variant] = {p.id: p for p in predictions if p.id in self.shown_ids}
            if self.of_documents and examples == self.examples:
                self._add_commonest(run, predictions)
        self.groups.setdefault(run.variant, {})[run.seed] = groups_of(predictions)

    def warnings(self) -> Iterator[str]:
        """What a reader misses."""
        if self.elsewhere:
            yield (
                "Not all runs were tested on the same examples (others than those of the first: "
                f"{run_names(self.elsewhere)}): there are no baselines and no scores of parts."
            )
        if self.lacking:
            yield (
                f"No predictions are kept of {run_names(self.lacking)}: what is drawn from "
                "predictions is without."
            )

    def _begin(self, predictions: Sequence[Prediction]) -> None:
        """All runs are tested on the same: the first tells what that is."""
        self.shown_ids = chosen(predictions)
        self.sizes = sizes_of(predictions)
        self.of_documents = all(prediction.source is not None for prediction in predictions)
        if self.of_documents:
            name = f"lead: first {self.lead_sentences} sentences of the document"
            self._add_baseline(
                name.replace("first 1 sentences", "first sentence"), predictions, self._lead
            )

    def _lead(self, prediction: Prediction) -> str:
        """The corpus's own where the prediction has it."""
        if prediction.lead is not None:
            return prediction.lead
        return lead(prediction.source or "", self.lead_sentences)

    def _add_commonest(self, run: RunName, predictions: Sequence[Prediction]) -> None:
        """Where it is that of one document alone, it tells nothing."""
        output, documents = commonest([prediction.hypothesis for prediction in predictions])
        if documents > 1:
            name = (
                f"constant: for every document, what {run.variant} (seed {run.seed}) writes most "
                f"often ({documents:,} of {len(predictions):,})"
            )
            self._add_baseline(name, predictions, lambda _: output)

    def _add_baseline(
        self, name: str, predictions: Sequence[Prediction], write: Callable[[Prediction], str]
    ) -> None:
        references = [prediction.reference for prediction in predictions]
        scores = scores_of(references, [write(each) for each in predictions], self.measures)
        self.baselines.append(BaselineRow(name=name, scores=scores))


def _told_scores(runs: Runs, measures: Sequence[str]) -> dict[str, dict[str, Spread]]:
    """The runs' own scores, of those measures that all runs have."""
    metric = runs.expectation.metric
    names = {measure: metric.beside(measure) for measure in measures}
    known = [each for each in measures if all(names[each] in run.metrics for run in runs)]
    return {
        variant: {
            measure: spread({run.seed: run.metrics[names[measure]].value for run in results})
            for measure in known
        }
        for variant, results in runs.results.items()
        if results
    }


def _group_rows(runs: Runs, found: _Found) -> Iterator[GroupRow]:
    for order, documents in found.sizes.orders.items():
        for variant, of_runs in found.groups.items():
            diverged = {run.seed: math.nan for run in runs.results[variant] if run.diverged}
            yield GroupRow(
                variant=variant,
                order=order,
                documents=documents,
                n=len(of_runs) + len(diverged),
                scores={
                    measure: spread(
                        {seed: each.orders[order][measure] for seed, each in of_runs.items()}
                        | diverged
                    )
                    for measure in USUAL
                },
            )


def _distance_rows(runs: Runs, found: _Found) -> Iterator[DistanceRow]:
    for variant, of_runs in found.groups.items():
        if any(run.diverged for run in runs.results[variant]):
            continue
        for distance, documents in found.sizes.distances.items():
            yield DistanceRow(
                variant=variant,
                distance=distance,
                documents=documents,
                exact_match=spread(
                    {seed: each.distances[distance] for seed, each in of_runs.items()}
                ),
            )
