"""Figures that take the page's ink."""

import re
from xml.etree import ElementTree

import matplotlib
from matplotlib.figure import Figure

from mocha_lightning.pictures.themed import ACCENT, INK, STYLE, svg


def drawn(name: str = "a", text: str = "x < y & $z$") -> ElementTree.Element:
    with matplotlib.rc_context(STYLE):
        figure = Figure()
        panel = figure.subplots()
        panel.plot([0, 1], [0, 1], "o", color=ACCENT)
        panel.axhline(0.5, color=INK)
        panel.set_title(text)
    return ElementTree.fromstring(svg(figure, name))


def test_the_ink_is_the_page_s() -> None:
    text = ElementTree.tostring(drawn(), encoding="unicode")
    assert "var(--accent)" in text
    assert "currentColor" in text
    assert "#0a0b" not in text
    fixed = set(re.findall(r"(?:fill|stroke): (#\w+)", text))
    assert fixed <= {"#000000"}


def test_text_is_text_and_no_formula() -> None:
    texts = [element.text for element in drawn().iter("text")]
    assert "x < y & $z$" in texts


def test_a_character_that_xml_cannot_write_is_seen_as_one_that_is_missing() -> None:
    texts = [element.text for element in drawn(text="a\0b\x1bc\N{GRINNING FACE}").iter("text")]
    missing = "\N{REPLACEMENT CHARACTER}"
    assert f"a{missing}b{missing}c\N{GRINNING FACE}" in texts


def test_it_loads_nothing_and_has_no_style_for_the_page() -> None:
    root = drawn()
    text = ElementTree.tostring(root, encoding="unicode")
    assert "http" not in text
    assert not list(root.iter("style"))
    assert not list(root.iter("metadata"))


def test_two_figures_of_a_page_share_no_id() -> None:
    ids = [
        {element.attrib["id"] for element in drawn(name).iter() if "id" in element.attrib}
        for name in ("a", "b")
    ]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_what_it_refers_to_is_there() -> None:
    root = drawn()
    ids = {element.attrib.get("id") for element in root.iter()}
    text = ElementTree.tostring(root, encoding="unicode")
    assert set(re.findall(r"#([\w-]+)[\")]", text)) <= ids


def test_the_same_figure_is_the_same_text() -> None:
    assert ElementTree.tostring(drawn()) == ElementTree.tostring(drawn())
