"""p values against what they would be if there were nothing to find."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from scipy import stats

# Told apart without colour by their markers, and by the colour-blind (Okabe and Ito's colours).
STYLES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"))
INCHES = (5.0, 4.6)
BAND = 0.95


def draw_p_values(p_values: Mapping[str, Sequence[float]]) -> Figure:
    """Draw each test's p values in ascending order against their expected places.

    The band holds each place's 95 % under the uniform distribution (a beta distribution's), so
    that one point in twenty may lie outside.

    Args:
        p_values: by the test's name, ascending; tests without one are left out.
    """
    figure = Figure(figsize=INCHES, layout="constrained")
    panel = figure.subplots()
    number = max(map(len, p_values.values()))
    places = np.arange(1, number + 1)
    low, high = stats.beta.interval(BAND, places, number + 1 - places)
    expected = places / (number + 1)
    panel.fill_between(
        expected, low, high, color="0.88", label=f"{BAND:.0%} of each, without any effect"
    )
    panel.plot([0, 1], [0, 1], color="0.5", linewidth=1)
    panel.axhline(0.05, color="0.5", linewidth=0.8, linestyle=":")
    for (name, values), (colour, marker) in zip(p_values.items(), STYLES, strict=False):
        if values:
            at = np.arange(1, len(values) + 1) / (len(values) + 1)
            panel.plot(
                at, values, marker, color=colour, markersize=4.5, label=name, fillstyle="none"
            )
    panel.set_xlim(0, 1)
    panel.set_ylim(0, 1)
    panel.set_xlabel("expected p value, if nothing differs")
    panel.set_ylabel("p value found")
    panel.legend(frameon=False, loc="upper left", fontsize=8)
    return figure
