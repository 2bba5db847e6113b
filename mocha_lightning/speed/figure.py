"""The paper's figure: time over sequence length, with a panel for each variant."""

from io import BytesIO
from itertools import cycle

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from mocha_lightning.speed.page import TITLES
from mocha_lightning.speed.report import SpeedReport
from mocha_lightning.speed.summary import Variant

# Told apart without colour by their markers, and by the colour-blind (Okabe and Ito's colours).
COLOURS = ("#000000", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#56B4E9")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
PANEL_INCHES = (5.2, 4.4)
DOTS_AN_INCH = 150
MOST_TICKS = 7


def draw(report: SpeedReport) -> Figure:
    """Draw mean times with their standard deviations, on logarithmic axes.

    A power of T is then a straight line whose slope is the exponent.
    """
    variants = report.variants
    width, height = PANEL_INCHES
    figure = Figure(figsize=(width * len(variants), height), layout="constrained")
    panels = figure.subplots(1, len(variants), sharey=True, squeeze=False)[0]
    for panel, variant in zip(panels, variants, strict=True):
        _draw_panel(panel, variant)
    panels[0].set_ylabel("milliseconds for all outputs")
    panels[0].legend(frameon=False)
    return figure


def rendered(figure: Figure, kind: str) -> bytes:
    """Give the bytes of a figure's file: ``png`` or ``svg``."""
    content = BytesIO()
    # Text as text: it can be searched and copied.
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(content, format=kind, dpi=DOTS_AN_INCH)
    return content.getvalue()


def _draw_panel(panel: Axes, variant: Variant) -> None:
    lengths = [row.length for row in variant.rows]
    styles = zip(cycle(COLOURS), cycle(MARKERS), strict=False)
    for points, (colour, marker) in zip(
        zip(*(row.points for row in variant.rows), strict=True), styles, strict=False
    ):
        panel.errorbar(
            lengths,
            [point.mean for point in points],
            yerr=[point.sd or 0.0 for point in points],
            label=points[0].mechanism,
            color=colour,
            marker=marker,
            markersize=4,
            linewidth=1.2,
            capsize=2,
        )
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_title(TITLES[variant.name])
    panel.set_xlabel("T = U (entries, and outputs)")
    panel.xaxis.set_minor_locator(NullLocator())
    shown = _ticks(lengths)
    panel.set_xticks(shown, [str(length) for length in shown])
    panel.grid(alpha=0.3)


def _ticks(lengths: list[int]) -> list[int]:
    """Lengths to name on the axis: the first, and each that is far enough from the last named."""
    shown = lengths[:1]
    for length in lengths[1:]:
        if length >= shown[-1] * (lengths[-1] / lengths[0]) ** (1 / MOST_TICKS):
            shown.append(length)
    return shown
