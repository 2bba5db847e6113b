"""How far apart systems are on the same texts, and how far other texts might move that."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from mocha_lightning.evaluation.scoring import Scores
from mocha_lightning.report.formats import decimal, interval, p_value, percent
from mocha_lightning.report.statistics import CONFIDENCE, ItemComparison, compare_items
from mocha_lightning.report.statistics.items import RESAMPLES

SEED = 0
SIGNATURE = (
    f"{percent(CONFIDENCE, 0)} interval:paired bootstrap, percentile|"
    f"resamples:{RESAMPLES}|seed:{SEED}"
)


@dataclass(frozen=True)
class Difference:
    """One system against another, by every score.

    Attributes:
        system: which.
        other: what it is set against.
        of: the comparison by each score, in shares and not in per cent.
    """

    system: str
    other: str
    of: dict[str, ItemComparison]

    def record(self) -> dict[str, Any]:
        """The same in per cent, for JSON."""
        return {
            "system": self.system,
            "against": self.other,
            "scores": {
                name: {
                    "difference": 100 * found.difference,
                    "low": found.interval and 100 * found.interval[0],
                    "high": found.interval and 100 * found.interval[1],
                    "p": found.p,
                }
                for name, found in self.of.items()
            },
        }


def differences(scores: Mapping[str, Scores], against: str) -> Iterator[Difference]:
    """Every other system against one, by a paired bootstrap over the texts.

    Args:
        scores: of systems by name, over the same texts.
        against: the name of the one.
    """
    theirs = scores[against]
    for system, by_name in scores.items():
        if system != against:
            of = {
                name: compare_items(score.counted, theirs[name].counted, score.sizes, SEED)
                for name, score in by_name.items()
            }
            yield Difference(system, against, of)


def difference_table(found: Iterable[Difference]) -> Table:
    """A row for each score of each difference, in per cent."""
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("difference", "of"):
        table.add_column(column, no_wrap=True)
    for column in ("%", "interval", "p"):
        table.add_column(column, justify="right", no_wrap=True)
    for each in found:
        for name, one in each.of.items():
            ends = one.interval and (100 * one.interval[0], 100 * one.interval[1])
            table.add_row(
                Text(f"{each.system} - {each.other}"),
                name,
                decimal(100 * one.difference, sign=True),
                interval(ends, sign=True),
                p_value(one.p),
            )
    return table
