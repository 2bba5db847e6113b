"""Pictures of a report: what the variants of one seed attend to in the same utterance."""

from collections.abc import Sequence
from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.pictures.alignments import Alignments
from mocha_lightning.report.results import Result


def alignments_png(runs_folder: Path, runs: Sequence[Result]) -> bytes | None:
    """Draw the alignments of each variant's run with the lowest seed that has any.

    Returns:
        A picture; None where no run has kept alignments.

    Raises:
        UserError: what a run has kept cannot be read.
    """
    for seed in sorted({run.seed for run in runs}):
        kept = {
            run.variant: run_folder(runs_folder, run.variant, seed) / "alignments.npz"
            for run in runs
            if run.seed == seed
        }
        found = {variant: _read(path) for variant, path in kept.items() if path.exists()}
        if found:
            # Half a second to import, and needed only where there is something to draw.
            from mocha_lightning.pictures.figure import draw, png

            return png(draw(found))
    return None


def _read(path: Path) -> Alignments:
    try:
        return Alignments.from_bytes(path.read_bytes())
    except Exception as error:  # whatever NumPy and zipfile say of bytes that are not theirs
        raise UserError(
            f"{path}: cannot be read as alignments ({type(error).__name__}): remove it, the "
            "report does without"
        ) from error
