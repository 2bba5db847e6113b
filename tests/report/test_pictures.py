"""What variants attend to, side by side."""

import pytest
from pictures.test_alignments import alignments
from pictures.test_word_alignments import alignments as words

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.pictures.figure import draw, pdf, png
from mocha_lightning.pictures.word_figure import draw_words
from mocha_lightning.report.pictures import alignments_files, word_alignment_files
from mocha_lightning.report.write import write_report

from .conftest import Folder


def keep(runs: Folder, variant: str, seed: int, content: bytes | None = None) -> None:
    folder = run_folder(runs.path, variant, seed)
    (folder / "alignments.npz").write_bytes(content or alignments(seed).to_bytes())


def test_the_lowest_seed_that_has_any_is_drawn(runs: Folder) -> None:
    for variant, seed in (("soft", 1), ("mocha_w2", 1), ("soft", 2)):
        keep(runs, variant, seed)
    drawn = alignments_files(runs.path, write_report(runs.path, runs.path / "reports").runs)
    figure = draw({"soft": alignments(1), "mocha_w2": alignments(1)})
    assert drawn == {"alignments.png": png(figure), "alignments.pdf": pdf(figure)}


def test_runs_may_have_kept_none(runs: Folder) -> None:
    report = write_report(runs.path, runs.path / "reports")
    assert alignments_files(runs.path, report.runs) == {}
    assert "Alignments" not in (runs.path / "reports" / "tiny" / "table.md").read_text()


def test_the_page_shows_the_picture(runs: Folder) -> None:
    keep(runs, "soft", 0)
    write_report(runs.path, runs.path / "reports")
    folder = runs.path / "reports" / "tiny"
    assert "](figures/alignments.png)" in (folder / "table.md").read_text()
    assert (folder / "figures" / "alignments.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "figures" / "alignments.pdf").read_bytes().startswith(b"%PDF")


def test_what_summaries_attend_to_is_drawn_too(runs: Folder) -> None:
    for number, variant in enumerate(("soft", "mocha_w2")):
        path = run_folder(runs.path, variant, 0) / "word-alignments.npz"
        path.write_bytes(words(number).to_bytes())
    write_report(runs.path, runs.path / "reports")
    folder = runs.path / "reports" / "tiny"
    figure = draw_words({"soft": words(0), "mocha_w2": words(1)})
    assert (folder / "figures" / "word-alignments.png").read_bytes() == png(figure)
    assert (folder / "figures" / "word-alignments.pdf").read_bytes() == pdf(figure)
    page = (folder / "table.md").read_text()
    assert "![Attention to one validation document](figures/word-alignments.png)" in page
    about = page.partition("## Alignments")[2]
    assert "utterance" not in about
    for said in ("Rows are the words of the summary", "cube root", "A cross beside a row"):
        assert said in about


def test_only_what_attends_to_the_same_example_is_side_by_side(runs: Folder) -> None:
    """A variant may change the data."""
    for variant, example in (("soft", "one"), ("mocha_w2", "two")):
        path = run_folder(runs.path, variant, 0) / "word-alignments.npz"
        path.write_bytes(words(0, example).to_bytes())
    runs_found = write_report(runs.path, runs.path / "reports").runs
    drawn = word_alignment_files(runs.path, runs_found)["word-alignments.png"]
    assert drawn == png(draw_words({"soft": words(0, "one")}))


def test_what_cannot_be_read_is_named(runs: Folder) -> None:
    keep(runs, "soft", 0, b"PK not alignments")
    with pytest.raises(UserError, match=r"soft/seed-0/alignments.npz: cannot be read .* remove it"):
        write_report(runs.path, runs.path / "reports")
