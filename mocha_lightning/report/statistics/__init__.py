"""What a difference between two variants is worth, given one value for each run.

The paper (section 4.1) repeats each model 8 times, reports best, mean and standard deviation, and
compares means by an unpaired Student's t-test. What stands beside that here is SciPy's and
statsmodels': Welch's test, an exact permutation test, the size of the effect, and how large a
difference so many runs could have detected.

Two questions are kept apart. How much the training's luck moves a score is answered by runs with
other seeds (:func:`compare`, :func:`compare_paired`). How much the choice of test items moves the
difference of two trained models is answered by :func:`compare_items`. Neither answers the other.
"""

from mocha_lightning.report.statistics.comparison import (
    Comparison,
    compare,
    compare_summaries,
    detectable_among,
)
from mocha_lightning.report.statistics.holm import holm
from mocha_lightning.report.statistics.items import ItemComparison, compare_items
from mocha_lightning.report.statistics.levels import CONFIDENCE, FEW_RUNS, POWER, SIGNIFICANCE
from mocha_lightning.report.statistics.paired import PairedComparison, compare_paired
from mocha_lightning.report.statistics.summary import Mode, Summary, summarise

__all__ = [
    "CONFIDENCE",
    "FEW_RUNS",
    "POWER",
    "SIGNIFICANCE",
    "Comparison",
    "ItemComparison",
    "Mode",
    "PairedComparison",
    "Summary",
    "compare",
    "compare_items",
    "compare_paired",
    "compare_summaries",
    "detectable_among",
    "holm",
    "summarise",
]
