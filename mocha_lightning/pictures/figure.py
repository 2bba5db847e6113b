"""The paper's Figure 2: alignments over the spectrogram of what was said."""

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from textwrap import fill

import matplotlib
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy import ndarray

from mocha_lightning.pictures.alignments import Alignments

WIDTH_INCHES, PANEL_INCHES = 9.0, 2.6
DOTS_AN_INCH = 120
LINE_LETTERS = 80
"""Of a transcript: what has room in the width."""
MOST_LABELS = 40
"""Outputs whose symbols fit beside one another."""


def draw(alignments: Mapping[str, Alignments]) -> Figure:
    """Draw each model's expected and hard attention to one utterance, and its spectrogram below.

    Args:
        alignments: by the model's name; all of the same utterance.

    Raises:
        ValueError: none, or of different utterances.
    """
    utterances = {each.utterance for each in alignments.values()}
    if len(utterances) != 1:
        raise ValueError(f"alignments must be of one utterance, not of {sorted(utterances)}")
    heard = next(iter(alignments.values()))
    seconds = len(heard.energies) * heard.frame_seconds
    rows = len(alignments) + 1
    figure = Figure(figsize=(WIDTH_INCHES, PANEL_INCHES * rows), layout="constrained")
    panels = figure.subplots(rows, 2, sharex=True, squeeze=False)
    for pair, (name, each) in zip(panels, alignments.items(), strict=False):
        for panel, kind in zip(pair, ("expected", "hard"), strict=True):
            _draw_weights(panel, getattr(each, kind), each.symbols, seconds)
            panel.set_title(f"{name}, {kind}", fontsize=9)
        pair[0].set_ylabel("output")
    for panel in panels[-1]:
        _draw_spectrogram(panel, heard.energies, seconds)
        panel.set_xlabel("seconds")
    panels[-1][0].set_ylabel("mel filter")
    transcript = f"{heard.utterance}: {''.join(heard.symbols[:-1]).replace('␣', ' ')}"
    figure.suptitle(fill(transcript, LINE_LETTERS), fontsize=10, parse_math=False)
    return figure


def png(figure: Figure, dots_an_inch: int = DOTS_AN_INCH) -> bytes:
    """The content of a figure's file, the same bytes for the same figure."""
    content = BytesIO()
    with warnings.catch_warnings():
        # A box in the picture says as much, and this would say it once a letter.
        warnings.filterwarnings("ignore", r"Glyph .* missing from", UserWarning)
        figure.savefig(content, format="png", dpi=dots_an_inch, metadata={"Software": None})
    return content.getvalue()


def pdf(figure: Figure) -> bytes:
    """The same for print: lines and letters, which no enlargement blurs."""
    content = BytesIO()
    # As TrueType, so that letters can be found, and changed, in it.
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        figure.savefig(content, format="pdf", metadata={"CreationDate": None})
    return content.getvalue()


def _draw_weights(
    panel: Axes,
    weights: Float[ndarray, "outputs time"],
    symbols: Sequence[str],
    seconds: float,
) -> None:
    extent = (0.0, seconds, len(weights) - 0.5, -0.5)
    panel.imshow(
        weights, aspect="auto", extent=extent, vmin=0, vmax=1, cmap="Greys", interpolation="nearest"
    )
    step = -(-len(symbols) // MOST_LABELS)
    panel.set_yticks(range(0, len(symbols), step), list(symbols[::step]), fontsize=6)


def _draw_spectrogram(panel: Axes, energies: Float[ndarray, "frames mel"], seconds: float) -> None:
    extent = (0.0, seconds, -0.5, energies.shape[1] - 0.5)
    image = np.asarray(energies, np.float32).T
    panel.imshow(image, aspect="auto", extent=extent, origin="lower", cmap="magma")
