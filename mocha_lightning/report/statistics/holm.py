"""Correction for several comparisons in one experiment."""

from collections.abc import Sequence

from statsmodels.stats.multitest import multipletests


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p values by Holm's method (1979), so that 5 % is the chance of any false finding.

    Args:
        p_values: of an experiment's comparisons; None where there was no test, which counts as
            none.

    Returns:
        The adjusted ones in the same order.
    """
    tested = [p for p in p_values if p is not None]
    if not tested:
        return list(p_values)
    adjusted = iter(multipletests(tested, method="holm")[1].tolist())
    return [None if p is None else next(adjusted) for p in p_values]
