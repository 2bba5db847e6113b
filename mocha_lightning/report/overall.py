"""All experiments and sweeps of a folder of runs, on one page."""

from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import EXPERIMENT, is_sweep, write_whole
from mocha_lightning.report.page.overall import overall_page
from mocha_lightning.report.sweep import SweepReport, write_sweep_report
from mocha_lightning.report.tables import Report
from mocha_lightning.report.write import PAGE, write_report

OTHERS = {
    "speed/table.md": "the paper's speed benchmark (Appendix B)",
    "schematic/figures/schematic.png": "the paper's Figure 1, from the package's own decoding",
    "parameters/table.md": "parameters of the models of Tables 1 and 2",
    "aa/figures/aa.png": "p values of a variant compared with itself",
}
"""What commands beside `run` leave in the folder of reports."""


def write_overall(runs_folder: Path, reports_folder: Path) -> tuple[Path, list[str]]:
    """Write `reports/index.html` over all experiments and sweeps of `runs`, finished or not.

    The report of each is written anew, so that none is older than this page.

    Returns:
        The page, and what kept some from being reported on.

    Raises:
        UserError: there is neither, or the page cannot be written. What cannot be reported on is
            told on the page.
    """
    try:
        folders = [path for path in sorted(runs_folder.iterdir()) if _may_be_one(path)]
    except FileNotFoundError:
        folders = []
    except OSError as error:
        raise UserError(f"{runs_folder}: cannot be read ({error.strerror})") from error
    if not folders:
        raise UserError(f"{runs_folder}: has no experiment: give the folder of all runs (--runs)")
    finished: list[Report] = []
    sweeps: list[SweepReport] = []
    unreadable: list[str] = []
    for folder in folders:
        try:
            if is_sweep(folder):
                sweeps.append(write_sweep_report(folder, reports_folder))
            else:
                finished.append(write_report(folder, reports_folder))
        except UserError as error:
            unreadable.append(str(error))
    others = {name: about for name, about in OTHERS.items() if (reports_folder / name).exists()}
    path = reports_folder / PAGE
    try:
        reports_folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, overall_page(finished, sweeps, unreadable, others))
    except OSError as error:
        raise UserError(
            f"{path}: cannot be written: {error.strerror}; free the place or choose another folder "
            "(--reports)"
        ) from error
    return path, unreadable


def _may_be_one(path: Path) -> bool:
    """Whether it has runs of either kind, or nobody can tell, since it cannot be looked into."""
    if path.name.startswith("."):
        return False
    try:
        return (path / EXPERIMENT).exists() or is_sweep(path) or not path.exists()
    except OSError:
        return True
