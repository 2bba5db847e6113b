"""Pictures of a report: what the variants of one seed attend to in the same example."""

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.pictures.alignments import Alignments
from mocha_lightning.pictures.word_alignments import WordAlignments
from mocha_lightning.report.results import Result

Kept = TypeVar("Kept", Alignments, WordAlignments)
_seed = attrgetter("seed")


def alignments_files(runs_folder: Path, runs: Sequence[Result]) -> dict[str, bytes]:
    """Draw the alignments of each variant's run with the lowest seed that has any.

    Returns:
        The figure for screens and for print; nothing where no run has kept alignments.

    Raises:
        UserError: what a run has kept cannot be read.
    """
    found = _kept(runs_folder, runs, "alignments.npz", Alignments.from_bytes)
    if not found:
        return {}
    # Half a second to import, and needed only where there is something to draw.
    from mocha_lightning.pictures.figure import draw, pdf, png

    figure = draw(_same(found, lambda each: each.utterance))
    return {"alignments.png": png(figure), "alignments.pdf": pdf(figure)}


def word_alignment_files(runs_folder: Path, runs: Sequence[Result]) -> dict[str, bytes]:
    """Draw the same of documents, for screens and for print: what each word attends to.

    Returns:
        By file name; nothing where no run has kept it.

    Raises:
        UserError: what a run has kept cannot be read.
    """
    found = _kept(runs_folder, runs, "word-alignments.npz", WordAlignments.from_bytes)
    if not found:
        return {}
    from mocha_lightning.pictures.figure import pdf, png
    from mocha_lightning.pictures.word_figure import draw_words

    figure = draw_words(_same(found, lambda each: each.example))
    return {"word-alignments.png": png(figure), "word-alignments.pdf": pdf(figure)}


def _kept(
    runs_folder: Path, runs: Sequence[Result], name: str, read: Callable[[bytes], Kept]
) -> dict[str, Kept]:
    """By variant, what the runs of the lowest seed that has any have kept under some name."""
    for _, of_seed in groupby(sorted(runs, key=_seed), key=_seed):
        paths = {
            run.variant: run_folder(runs_folder, run.variant, run.seed) / name for run in of_seed
        }
        found = {variant: _read(path, read) for variant, path in paths.items() if path.exists()}
        if found:
            return found
    return {}


def _same(found: dict[str, Kept], example: Callable[[Kept], str]) -> dict[str, Kept]:
    """Those of the first variant's example: variants may differ in their data too."""
    shown = example(next(iter(found.values())))
    return {variant: each for variant, each in found.items() if example(each) == shown}


def _read(path: Path, read: Callable[[bytes], Kept]) -> Kept:
    try:
        return read(path.read_bytes())
    except Exception as error:  # whatever NumPy and zipfile say of bytes that are not theirs
        raise UserError(
            f"{path}: cannot be read as alignments ({type(error).__name__}): remove it, the "
            "report does without"
        ) from error
