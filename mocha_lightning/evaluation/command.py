"""The command ``evaluate``: texts in, scores out; what is said about them goes to stderr."""

import json
from collections.abc import Sequence
from pathlib import Path

from mocha_lightning.each_file import say
from mocha_lightning.errors import UserError
from mocha_lightning.evaluation.differences import differences
from mocha_lightning.evaluation.options import Options
from mocha_lightning.evaluation.printing import (
    CONSTANT,
    CONTROLS,
    MISMATCHED,
    Evaluated,
    as_json,
    print_tables,
)
from mocha_lightning.evaluation.records import Predictions, read_predictions
from mocha_lightning.evaluation.run_result import RunResult
from mocha_lightning.evaluation.scoring import SIGNATURES, Metric, score
from mocha_lightning.evaluation.sentences import LINES, PUNKT, have_lines
from mocha_lightning.evaluation.two_runs import check_measured_alike, side_by_side
from mocha_lightning.experiment.places import PREDICTIONS
from mocha_lightning.metrics import without_rouge_words
from mocha_lightning.metrics.baselines import LEAD_SENTENCES, commonest, lead, mismatched

OF_DOCUMENTS: tuple[Metric, ...] = ("rouge", "exact_match")


def evaluate(options: Options) -> bool:
    """Print scores with their intervals.

    Returns:
        Whether a run's are those of its result; True where there is no run.

    Raises:
        UserError: the texts cannot be scored.
    """
    runs = [RunResult.read(Path(run)) for run in (options.run, options.against) if run is not None]
    problems: list[str] = []
    if not runs:
        path = Path(str(options.predictions))
        references = [Path(file) for file in options.references]
        predictions = read_predictions(path, references, options.columns, options.subset)
        metrics = _chosen(options.metrics)
    else:
        path, metrics = runs[0].run / PREDICTIONS, runs[0].of
        of_runs = [run.scored(read_predictions(run.run / PREDICTIONS)) for run in runs]
        predictions = of_runs[0]
        if len(runs) > 1:
            for run, texts in zip(runs, of_runs, strict=True):
                problems += run.differences(score(run.of, texts.references, texts.systems))
            predictions = side_by_side(runs[0], of_runs[0], runs[1], of_runs[1])
    if "wer" in metrics and not any(text.split() for text in predictions.references):
        raise UserError(f"{path}: the references have no word, so there is no word error rate")
    of_documents = "rouge" in metrics
    # A run's scores stay those of its result, which takes lines for sentences.
    punkt = of_documents and not runs and not have_lines(predictions.references)
    if of_documents:
        _tell_of_rouge(path, predictions, punkt, bool(runs))
    beside = baselines(predictions) if of_documents else {}
    for name in predictions.systems.keys() & beside:
        raise UserError(
            f"--hypothesis-column: {name!r} is what a baseline is called here: rename the column"
        )
    made = score(metrics, predictions.references, predictions.systems, punkt)
    if len(runs) == 1:
        problems += runs[0].differences(made)
    scores = {**made, **score(metrics, predictions.references, beside, punkt)}
    names = [*next(iter(made.values()))]
    without_controls = {name: of for name, of in scores.items() if name not in CONTROLS}
    # Of runs the other one; of a file's systems the first, as where one is the baseline.
    against = [*made][0 if options.against is None else -1]
    if runs:
        check_measured_alike(runs, names)
    evaluated = Evaluated(
        scores=scores,
        predictions=predictions,
        signatures=_signatures(runs, names, punkt),
        apart=[*differences(without_controls, against)],
        equals_result=not problems if runs else None,
    )
    if options.json:
        print(json.dumps(as_json(evaluated)))
    else:
        print_tables(evaluated)
    if runs and not options.json and not problems:
        files = " and of ".join(str(run.path) for run in runs)
        print(f"These are the scores of {files}.")
    for problem in problems:
        say(f"error: {problem}")
    return not problems


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
    return {**found, MISMATCHED: mismatched(hypotheses), CONSTANT: constant}


def _signatures(runs: Sequence[RunResult], names: Sequence[str], punkt: bool) -> dict[str, str]:
    """How each score was computed; of two runs that decode differently, how each does."""
    if not runs:
        return {name: SIGNATURES[name].replace(LINES, PUNKT if punkt else LINES) for name in names}
    of_runs = [run.signatures(names) for run in runs]
    return {
        name: " / ".join(dict.fromkeys(signatures[name] for signatures in of_runs))
        for name in names
    }


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
