"""Figures inside a web page, whose ink is the page's: light or dark as the reader has it."""

import re
import warnings
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib.figure import Figure

# matplotlib knows no colour but fixed ones, so each of these stands for one of the page's.
INK, FAINT, ACCENT, PAPER = "#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04"
_PAGE = {
    INK: "currentColor",
    FAINT: "var(--faint)",
    ACCENT: "var(--accent)",
    PAPER: "var(--paper)",
}
WIDTH_INCHES = 4.6
"""So narrow that its letters can be read on a telephone's width too."""
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
"""For the drawing of such a figure."""
_FONT = re.compile(r"(font: (?:[a-z0-9]+ )*[\d.]+px) [^;]*")
_REFERENCE = re.compile(r"#([\w-]+)")
_UNSEEN = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""


def svg(figure: Figure, name: str) -> str:
    """A figure as an ``<svg>`` element for a page, the same text for the same figure.

    Its text is text, in the page's font; it has no size of its own but fills its place.

    Args:
        figure: drawn with :data:`STYLE` and the colours above.
        name: keeps apart what several figures of one page name inside them.
    """
    content = StringIO()
    with warnings.catch_warnings(), matplotlib.rc_context({"svg.fonttype": "none"}):
        # The reader's browser has other fonts than matplotlib.
        warnings.filterwarnings("ignore", r"Glyph .* missing from", UserWarning)
        with matplotlib.rc_context({"svg.hashsalt": name}):
            figure.savefig(content, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(_UNSEEN.sub("\N{REPLACEMENT CHARACTER}", content.getvalue()))
    _simplify(root, name)
    root.attrib = {"viewBox": root.attrib["viewBox"], "aria-hidden": "true"}
    return ElementTree.tostring(root, encoding="unicode")


def _simplify(root: ElementTree.Element, name: str) -> None:
    """Leave out what only a file of its own needs, and what would bear on the whole page."""
    used = set()
    for element in root.iter():
        element.tag = _local(element.tag)
        for key in [*element.attrib]:
            if key.startswith("{"):
                element.attrib[_local(key)] = element.attrib.pop(key)
        for key in ("href", "clip-path"):
            if key in element.attrib:
                used.update(_REFERENCE.findall(element.attrib[key]))
                element.attrib[key] = _REFERENCE.sub(rf"#{name}-\1", element.attrib[key])
        if "style" in element.attrib:
            element.attrib["style"] = _recoloured(element.attrib["style"])
    for parent in [*root.iter()]:
        for child in [*parent]:
            if child.tag in ("metadata", "style"):
                parent.remove(child)
        identity = parent.attrib.pop("id", None)
        if identity in used:
            parent.attrib["id"] = f"{name}-{identity}"


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _recoloured(style: str) -> str:
    for fixed, of_page in _PAGE.items():
        style = style.replace(fixed, of_page)
    return _FONT.sub(r"\1 system-ui, sans-serif", style)
