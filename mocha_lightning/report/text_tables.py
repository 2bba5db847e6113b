"""The tables that a report makes of predictions, as text."""

import pandas as pd

from mocha_lightning.report.formats import ABSENT, decimal
from mocha_lightning.report.groups import Spread
from mocha_lightning.report.measures import NAMES
from mocha_lightning.report.texts import Texts

NAME = "variant or baseline"


def scores_table(texts: Texts) -> pd.DataFrame:
    """Lay out a row for each variant and baseline; no rows where there is no baseline."""
    if not texts.baselines:
        return pd.DataFrame()
    measures = list(texts.baselines[0].scores)
    variants = [
        {NAME: variant, **{NAMES[each]: _cell(scores.get(each)) for each in measures}}
        for variant, scores in texts.scores.items()
    ]
    baselines = [
        {NAME: row.name, **{NAMES[each]: decimal(row.scores[each]) for each in measures}}
        for row in texts.baselines
    ]
    return pd.DataFrame([*variants, *baselines])


def group_table(texts: Texts) -> pd.DataFrame:
    """Lay out a row for each variant and order; no rows where there is one order alone."""
    if len(texts.sizes.orders) < 2:
        return pd.DataFrame()
    return pd.DataFrame(
        [
            {
                "variant": row.variant,
                "order": row.order,
                "documents": f"{row.documents:,}",
                "N": str(row.n),
                **{NAMES[measure]: _cell(scores) for measure, scores in row.scores.items()},
            }
            for row in texts.groups
        ]
    )


def _cell(scores: Spread | None) -> str:
    if scores is None:
        return ABSENT
    if scores.sd is None:
        return decimal(scores.mean)
    return f"{decimal(scores.mean)} ({decimal(scores.sd)})"
