"""What the documentation points at is there."""

import re
from pathlib import Path

import pytest
import yaml
from printed import PAGES, ROOT

LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)")
NAMED = re.compile(r"((?:`[\w.]+`(?:, )?)+) in \[`[^`]+`\]\(([^)]+\.py)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link, heading in LINK.findall(page.read_text()):
        there = page.parent / link if link else page
        assert there.exists(), link
        if heading:
            assert heading in anchors(there)


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links, as GitHub does."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_led_to_from_readme() -> None:
    led_to = {link for link, _ in LINK.findall((ROOT / "README.md").read_text())}
    assert {f"docs/{page.name}" for page in PAGES if page.name != "README.md"} <= led_to


@pytest.mark.parametrize("kind", ["mocha_lightning/**/*.py", "*/*.yaml", "Makefile", "*/*.py"])
def test_pages_that_the_code_speaks_of_are_there(kind: str) -> None:
    for path in ROOT.glob(kind):
        for page in re.findall(r"\bdocs/[\w-]+\.md", path.read_text()):
            assert (ROOT / page).exists() or path.parent.name == "tests", f"{path} names {page}"


def test_readme_can_be_read_in_a_sitting() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) < 150
    assert len(text.encode()) < 12_000


def test_the_paper_s_figures_are_those_of_the_experiments() -> None:
    page = (ROOT / "docs" / "reproduce.md").read_text()
    for name in ("wsj", "cnn_dailymail"):
        experiment = yaml.safe_load((ROOT / "experiments" / f"{name}.yaml").read_text())
        for mechanism, figures in experiment["published"]["rows"].items():
            rows = [line for line in page.splitlines() if line.startswith(f"| {mechanism} ")]
            wanted = {str(each) for each in figures.values()}
            assert any(wanted <= set(re.findall(r"[\d.]+", row)) for row in rows)


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
