"""How scores are printed: as JSON, or as tables with what one must know to read them."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mocha_lightning.evaluation.differences import SIGNATURE as DIFFERENCE_SIGNATURE
from mocha_lightning.evaluation.differences import Difference, difference_table
from mocha_lightning.evaluation.records import Predictions
from mocha_lightning.evaluation.scoring import Scores
from mocha_lightning.metrics import INTERVAL_SIGNATURE

MISMATCHED, CONSTANT = CONTROLS = "mismatched", "constant"
"""What stands beside the systems and knows nothing of a document."""


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """What came of an evaluation.

    Attributes:
        scores: by system, those that stand beside the systems included.
        predictions: what was scored.
        signatures: how each score was computed.
        apart: how far the systems differ.
        equals_result: whether a run's scores are those of its result; None where there is no run.
    """

    scores: Mapping[str, Scores]
    predictions: Predictions
    signatures: Mapping[str, str]
    apart: Sequence[Difference]
    equals_result: bool | None


def as_json(evaluated: Evaluated) -> dict[str, Any]:
    """All of it, as JSON has it."""
    content: dict[str, Any] = {
        "texts": len(evaluated.predictions.references),
        "scores": {
            system: {
                name: {"value": each.value, "low": each.interval.low, "high": each.interval.high}
                for name, each in by_name.items()
            }
            for system, by_name in evaluated.scores.items()
        },
        "signatures": {
            name: f"{line}|{INTERVAL_SIGNATURE}" for name, line in evaluated.signatures.items()
        },
    }
    if evaluated.predictions.left_out is not None:
        content["left_out"] = asdict(evaluated.predictions.left_out)
    if evaluated.apart:
        content["differences"] = [each.record() for each in evaluated.apart]
        content["difference_signature"] = DIFFERENCE_SIGNATURE
    if evaluated.equals_result is not None:
        content["equals_result"] = evaluated.equals_result
    return content


def print_tables(evaluated: Evaluated) -> None:
    """Print a table of the scores, how they were computed, and how far the systems differ."""
    predictions = evaluated.predictions
    _print_whole(_score_table(evaluated))
    print(f"{len(predictions.references)} texts; in brackets, {INTERVAL_SIGNATURE}")
    if predictions.left_out is not None:
        print(
            f"left out: {predictions.left_out.references:,} of the references, which have no "
            f"prediction, and {predictions.left_out.predictions:,} of the predictions, which have "
            "no reference"
        )
    for line in evaluated.signatures.values():
        print(line)
    if MISMATCHED in evaluated.scores:
        system, *others = predictions.systems
        whose = f" of {system}" if others else ""
        print(
            f"mismatched: each output{whose} against another document's reference; constant: the "
            f"most frequent output{whose} against all"
        )
    if evaluated.apart:
        print(
            "\nDifferences between these outputs on these texts. They do not tell whether one "
            "mechanism is better than another: two seeds of one differ here too. mocha-lightning "
            "compare asks that, of several seeds."
        )
        _print_whole(difference_table(evaluated.apart))
        print(DIFFERENCE_SIGNATURE)


def _score_table(evaluated: Evaluated) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("%")
    for name in evaluated.signatures:
        table.add_column(name, justify="right", no_wrap=True)
    for system, by_name in evaluated.scores.items():
        cells = (
            f"{each.value:.2f} ({each.interval.low:.2f}-{each.interval.high:.2f})"
            for each in by_name.values()
        )
        table.add_row(Text(system), *cells)
    return table


def _print_whole(table: Table) -> None:
    """Print a table of which no column is cut, whatever the terminal."""
    wide = Console(file=sys.stdout, width=10_000, highlight=False)
    width = wide.measure(table).maximum
    Console(file=sys.stdout, width=width, highlight=False).print(table)
