"""The page for a browser."""

import html
import json
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from pictures.test_alignments import alignments

from mocha_lightning.report import write_report

from ..conftest import EXPERIMENT, PUBLISHED, Folder, diverge, put, result
from ..predicting import predict, write
from ..test_curves import learn

VOID = {"meta", "img", "br", "hr", "link", "input"}
EVIL = "<script>alert(1)</script>"


class Page(HTMLParser):
    """A page taken apart; whoever leaves an element open fails here."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.text = (folder / "index.html").read_text()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(self.text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"{tag} has an attribute twice"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open, f"<{tag}/> closes nothing in HTML"
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words += data.split()

    @property
    def said(self) -> str:
        return " ".join(self.words)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(runs: Folder) -> Page:
    reports = runs.path.parent.parent / "reports"
    write_report(runs.path, reports)
    return Page(reports / "tiny")


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The page of an experiment that has everything; written once, since drawing takes a second."""
    runs = Folder(tmp_path_factory.mktemp("full") / "runs" / "tiny")
    runs.experiment(published=PUBLISHED)
    predict(runs)
    learn(runs, "soft", 0, 90.0, 5.5)
    folder = runs.file("soft", 0).parent
    (folder / "alignments.npz").write_bytes(alignments(0).to_bytes())
    return page_of(runs)


def test_it_says_what_the_markdown_page_says(full: Page) -> None:
    text = (full.folder / "table.md").read_text().replace("**", "").replace("`", "")
    # Of samples the page marks the words, and a variant's changes have lines of their own.
    sections = [
        section.splitlines()[1:]
        for section in text.split("\n## ")
        if not section.startswith(("Samples", "What variants differ in"))
    ]
    lines = [line.removeprefix("- ") for section in sections for line in section if line]
    cells = [cell for line in lines if line[0] == "|" for cell in line[1:-1].split("|")]
    sentences = [line for line in lines if line[0] not in "|!" and not line.startswith("Of the ")]
    assert len(cells) > 50
    assert len(sentences) > 20
    # Beside a term its meaning stands without a colon.
    said = full.said.replace(" .", ".").replace(":", "")
    for part in (*cells, *sentences):
        if set(part) > set(":-"):
            assert " ".join(part.replace(":", "").split()) in said


def test_it_loads_nothing(full: Page) -> None:
    assert not full.all("script")
    assert not full.all("link")
    assert "url(" not in full.text.replace("url(#", "")
    for tag, attributes in full.elements:
        if tag != "a":
            for key in ("src", "href", "data", "srcset", "poster", "action"):
                value = attributes.get(key) or "#"
                assert value.startswith(("#", "data:image/png;base64,")), (tag, value)
        assert not any(key.startswith("on") for key in attributes)
    (policy,) = (
        each["content"]
        for each in full.all("meta")
        if each.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_every_link_leads_somewhere(full: Page) -> None:
    ids = [attributes["id"] for _, attributes in full.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] or "" for attributes in full.all("a")]
    assert {"table.tex", "runs.csv", "curves.csv", "results.json"} <= set(links)
    for link in links:
        assert link[1:] in ids if link.startswith("#") else (full.folder / link).exists(), link
    for _, attributes in full.elements:
        for key in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(key) in (None, *ids)


def test_whoever_hears_it_is_told_as_much(full: Page) -> None:
    assert full.all("html") == [{"lang": "en"}]
    assert all(each.get("alt") for each in full.all("img"))
    assert len(full.all("table")) == len(full.all("caption"))
    assert all(each.get("scope") in ("col", "row") for each in full.all("th"))
    pictures = [each for each in full.all("div") if "picture" in (each.get("class") or "")]
    assert len(pictures) == len(full.all("figure")) == len(full.all("figcaption")) == 4
    assert all(each["role"] in ("img", "region") and each["aria-label"] for each in pictures)
    scrolled = [each for _, each in full.elements if "scroll" in (each.get("class") or "").split()]
    assert len(scrolled) > len(full.all("table"))
    for each in scrolled:
        assert (each["role"], each["tabindex"]) == ("region", "0")
        assert each["aria-label"]
    levels = [int(tag[1]) for tag, _ in full.elements if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(later <= level + 1 for level, later in pairwise(levels))


def test_nobody_s_text_becomes_an_element(runs: Folder) -> None:
    predict(runs, lambda record: record.update(hypothesis=f"{EVIL} \x1b\u202e x", id=record["id"]))
    for variant in ("soft", "mocha_w2"):
        runs.change_all(variant, put("notes", [EVIL]))
        runs.change_all(variant, put("provenance.hardware", EVIL))
    runs.change("soft", 0, put("provenance.command", f"mocha-lightning run '{EVIL}'"))
    runs.change("soft", 1, put("provenance.command", f"mocha-lightning run '{EVIL}'"))
    page = page_of(runs)
    assert EVIL not in page.text
    assert page.said.count(EVIL) >= 5
    assert not {"\x1b", "\u202e"} & set(page.text)


def test_nor_does_a_variant_s_name(tmp_path: Path) -> None:
    # A folder's name has no slash.
    evil = "<b onclick=x>$a$ & \"b\" 'c'"
    runs = Folder(tmp_path / "runs" / "tiny")
    runs.experiment(variants={**EXPERIMENT["variants"], evil: {}}, comparisons=[[evil, "soft"]])
    for seed in range(3):
        runs.write(result("mocha_w2", seed, 3.0 + seed) | {"variant": evil})
        learn(runs, evil, seed, 9.0)
    page = page_of(runs)
    assert "<b " not in page.text
    assert page.said.count(evil) > 5
    assert not page.all("b")


def test_an_unfinished_experiment_says_so_before_all_else(runs: Folder, full: Page) -> None:
    assert "INCOMPLETE" not in full.said
    runs.remove("soft", 1)
    said = page_of(runs).said
    missing = "INCOMPLETE: 1 of 6 runs are missing: soft seed 1."
    assert said.startswith("INCOMPLETE: tiny")
    assert 0 < said.index(missing) < said.index("Verdict")


def test_one_variant_of_one_run_has_a_page(runs: Folder) -> None:
    runs.experiment(variants={"soft": {}}, seeds=[0], comparisons=[])
    said = page_of(runs).said
    assert "There is one variant, and nothing to compare it with." in said
    assert "No run has kept a learning curve." in said


def test_a_run_that_diverged_is_drawn_and_named(runs: Folder, full: Page) -> None:
    assert "without a number" not in full.said
    runs.change("soft", 1, diverge(300))
    said = page_of(runs).said
    assert "A cross at the right edge stands for a run without a number: soft seed 1." in said
    assert "the training loss was nan at step 300" in said


def test_runs_without_a_learning_curve_are_named(runs: Folder) -> None:
    learn(runs, "soft", 0, 90.0, 5.5)
    said = page_of(runs).said
    assert "Runs that have kept no curve: soft seeds 1, 2; mocha_w2 seeds 0, 1, 2." in said


def test_differences_of_samples_are_said_and_not_only_coloured(runs: Folder) -> None:
    write(runs, "soft", 0, [{"reference": "one two three", "hypothesis": "zero one too"}])
    page = page_of(runs)
    assert "[added: zero ] one [instead of: two stands: too ] [missing: three ]" in page.said
    assert len(page.all("ins")) == len(page.all("mark")) == 2  # with those of the legend
    assert len(page.all("del")) == 4


def test_words_that_a_document_does_not_have_are_marked(full: Page) -> None:
    assert "x (not in the document)" in full.said


def test_a_number_can_be_traced(full: Page) -> None:
    for fact in (
        "mocha-lightning run experiments/tiny.yaml",
        "abcdef0123456789abcdef0123456789abcdef01",
        "spoken-numbers, SHA-256 " + "d47a" * 16,
        "torch 2.13.0",
        "2 cores",
        "test/wer by jiwer 4.0.0",
        str(result("soft", 0, 4.0)["config_hash"]),
    ):
        assert fact in full.said


def test_the_experiment_can_be_written_again_from_the_page_alone(runs: Folder) -> None:
    page = html.unescape(page_of(runs).text)
    for variant in ("soft", "mocha_w2"):
        config = json.loads(runs.file(variant, 0).read_text())["config"]
        assert yaml.safe_dump(config, sort_keys=False, allow_unicode=True) in page


def test_an_experiment_s_files_are_told_by_their_hashes(runs: Folder) -> None:
    assert "experiment file" not in page_of(runs).said
    files = {"mine.yaml": "a" * 64, "demo.yaml": "b" * 64}
    for variant in ("soft", "mocha_w2"):
        runs.change_all(variant, put("provenance.files", files))
    said = page_of(runs).said
    assert "experiment file" in said
    assert f"mine.yaml, SHA-256 {'a' * 64}, demo.yaml, SHA-256 {'b' * 64}" in said
