"""What the documentation points at is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
NAMED = re.compile(r"((?:`[\w.]+`(?:, )?)+) in \[`[^`]+`\]\(([^)]+\.py)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_said_to_be_in_a_file_is_in_it(page: Path) -> None:
    for names, link in NAMED.findall(page.read_text()):
        source = (page.parent / link).read_text()
        for name in re.findall(r"`([\w.]+)`", names):
            for part in name.split("."):
                assert re.search(rf"\b{part}\b", source), f"{name} is not in {link}"


def test_every_equation_of_the_paper_has_a_row() -> None:
    """There are 43."""
    rows = re.findall(
        r"^\| ([0-9, to]+?)(?:, Algorithm 1)? \|", (ROOT / "docs/equations.md").read_text(), re.M
    )
    listed = set()
    for row in rows:
        for part in row.split(", "):
            first, _, last = part.partition(" to ")
            listed |= set(range(int(first), int(last or first) + 1))
    assert listed == set(range(1, 44))
