"""The command ``evaluate``: texts in, scores out; what is said about them goes to stderr."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.each_file import say
from mocha_lightning.errors import UserError
from mocha_lightning.evaluation.baselines import LEAD_SENTENCES, commonest, lead, mismatched
from mocha_lightning.evaluation.options import Options
from mocha_lightning.evaluation.records import Predictions, read_predictions
from mocha_lightning.evaluation.run_result import RunResult
from mocha_lightning.evaluation.scoring import SIGNATURES, Metric, Scores, score
from mocha_lightning.evaluation.sentences import LINES, PUNKT, have_lines
from mocha_lightning.experiment.places import PREDICTIONS
from mocha_lightning.metrics import INTERVAL_SIGNATURE, without_rouge_words

OF_DOCUMENTS: tuple[Metric, ...] = ("rouge", "exact_match")


def evaluate(options: Options) -> bool:
    """Print scores with their intervals.

    Returns:
        Whether a run's are those of its result; True where there is no run.

    Raises:
        UserError: the texts cannot be scored.
    """
    result: RunResult | None = None
    if options.run is not None:
        result = RunResult.read(Path(options.run))
        path, metrics = Path(options.run) / PREDICTIONS, result.of
        predictions = result.scored(read_predictions(path))
    else:
        path = Path(str(options.predictions))
        references = [Path(file) for file in options.references]
        predictions = read_predictions(path, references, options.columns, options.subset)
        metrics = _chosen(options.metrics)
    if "wer" in metrics and not any(text.split() for text in predictions.references):
        raise UserError(f"{path}: the references have no word, so there is no word error rate")
    of_documents = "rouge" in metrics
    # A run's scores stay those of its result, which takes lines for sentences.
    punkt = of_documents and result is None and not have_lines(predictions.references)
    if of_documents:
        _tell_of_rouge(path, predictions, punkt, result is not None)
    beside = baselines(predictions) if of_documents else {}
    for name in predictions.systems.keys() & beside:
        raise UserError(
            f"--hypothesis-column: {name!r} is what a baseline is called here: rename the column"
        )
    made = score(metrics, predictions.references, predictions.systems, punkt)
    scores = {**made, **score(metrics, predictions.references, beside, punkt)}
    differences = None if result is None else result.differences(made)
    names = [*next(iter(made.values()))]
    signatures = (
        {name: SIGNATURES[name].replace(LINES, PUNKT if punkt else LINES) for name in names}
        if result is None
        else result.signatures(names)
    )
    _print(options.json, scores, predictions, signatures, differences)
    if result is not None and not options.json and not differences:
        print(f"These are the scores of {result.path}.")
    for difference in differences or ():
        say(f"error: {difference}")
    return not differences


def baselines(predictions: Predictions) -> dict[str, list[str]]:
    """What stands beside the systems: the lead, and controls that know nothing of a document.

    The lead is the corpus's own where the predictions have it, else the source's first three
    sentences. The controls are the first system's.
    """
    found = {}
    if predictions.leads is not None:
        found["lead"] = predictions.leads
    elif predictions.sources is not None:
        name = f"lead-{LEAD_SENTENCES}"
        found[name] = [lead(source) for source in predictions.sources]
    hypotheses = next(iter(predictions.systems.values()))
    if len(hypotheses) < 2:  # there is no other document
        return found
    constant = [commonest(hypotheses)[0]] * len(hypotheses)
    return {**found, "mismatched": mismatched(hypotheses), "constant": constant}


def _tell_of_rouge(path: Path, predictions: Predictions, punkt: bool, of_run: bool) -> None:
    """Say what ROUGE does not see in the texts, or sees otherwise than the reader may think."""
    references = predictions.references
    if lost := without_rouge_words(references):
        say(
            f"{path}: {lost} of {len(references)} references have no word of a-z and 0-9, which "
            "alone ROUGE takes, and score 0"
        )
    if punkt:
        say(
            "no reference has several lines: for ROUGE-Lsum, Punkt finds the sentences of all texts"
        )
    elif not of_run and have_lines(references):
        for name, texts in predictions.systems.items():
            if not have_lines(texts):
                say(
                    f"{path}: no text of {name} has several lines, which the references have: "
                    "ROUGE-Lsum takes each for a single sentence"
                )


def _chosen(names: Sequence[str]) -> tuple[Metric, ...]:
    known: tuple[Metric, ...] = ("rouge", "wer", "exact_match")
    return tuple(name for name in known if name in names) or OF_DOCUMENTS


def _print(
    as_json: bool,
    scores: Mapping[str, Scores],
    predictions: Predictions,
    signatures: Mapping[str, str],
    differences: list[str] | None,
) -> None:
    names, count, left_out = list(signatures), len(predictions.references), predictions.left_out
    if as_json:
        content = {
            "texts": count,
            "scores": {
                system: {
                    name: {
                        "value": each.value,
                        "low": each.interval.low,
                        "high": each.interval.high,
                    }
                    for name, each in by_name.items()
                }
                for system, by_name in scores.items()
            },
            "signatures": {
                name: f"{line}|{INTERVAL_SIGNATURE}" for name, line in signatures.items()
            },
        }
        if left_out is not None:
            content["left_out"] = asdict(left_out)
        if differences is not None:
            content["equals_result"] = not differences
        print(json.dumps(content))
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("%")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for system, by_name in scores.items():
        cells = (
            f"{each.value:.2f} ({each.interval.low:.2f}-{each.interval.high:.2f})"
            for each in by_name.values()
        )
        table.add_row(Text(system), *cells)
    width = max(map(len, scores)) + 6 + 24 * len(names)  # no column is cut, whatever the terminal
    console = Console(file=sys.stdout, width=width, highlight=False)
    console.print(table)
    print(f"{count} texts; in brackets, {INTERVAL_SIGNATURE}")
    if left_out is not None:
        print(
            f"left out: {left_out.references:,} of the references, which have no prediction, and "
            f"{left_out.predictions:,} of the predictions, which have no reference"
        )
    for line in signatures.values():
        print(line)
    if "mismatched" in scores:
        system, *others = predictions.systems
        whose = f" of {system}" if others else ""
        print(
            f"mismatched: each output{whose} against another document's reference; constant: the "
            f"most frequent output{whose} against all"
        )
