"""All reports of a folder, on one page."""

from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import EXPERIMENT, is_sweep
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.report.aa import PAGE as AA_PAGE
from mocha_lightning.report.content import Report, build_report
from mocha_lightning.report.page.overall import overall_page
from mocha_lightning.report.sweep import (
    SweepReport,
    is_sweep_report,
    read_sweep_report,
    write_sweep_report,
)
from mocha_lightning.report.write import PAGE, write_report
from mocha_lightning.report.written import REPORT_FACTS, read_report

OTHERS = {
    "speed/table.md": "the paper's speed benchmark (Appendix B)",
    "schematic/schematic.md": "the paper's Figure 1, from the package's own decoding",
    "parameters/table.md": "parameters of the models of Tables 1 and 2",
    f"aa/{AA_PAGE}": "p values of a variant compared with itself",
}
"""What commands beside `run` leave in the folder of reports."""


def write_overall(runs_folder: Path, reports_folder: Path, origin: str) -> tuple[Path, list[str]]:
    """Write `reports/index.html` over all reports that stand in a folder.

    An experiment or a sweep of `runs`, finished or not, has its report written anew first, so that
    none is older than its runs. The runs of others may lie elsewhere: their reports say enough.

    Args:
        runs_folder: the folder of all runs, which need not be there where reports are.
        reports_folder: the folder of all reports.
        origin: the line that says how the page is made.

    Returns:
        The page, and what kept some from being reported on.

    Raises:
        UserError: there is neither a folder of runs nor a report, a folder cannot be read, or the
            page cannot be written. What cannot be reported on is told on the page.
    """
    begun = [path for path in _within(runs_folder) if _may_be_one(path)]
    found: dict[str, Report] = {}
    sweeps: dict[str, SweepReport] = {}
    unreadable: list[str] = []
    for folder in begun:
        try:
            if is_sweep(folder):
                sweeps[folder.name] = write_sweep_report(folder, reports_folder)
            else:
                report = write_report(folder, reports_folder)
                found[report.experiment] = report
        except UserError as error:
            unreadable.append(str(error))
    written = [path for path in _within(reports_folder) if _has_report(path)]
    if not begun and not written:
        raise UserError(
            f"{runs_folder}: has no experiment, and {reports_folder} has no report: give the "
            "folder of all runs (--runs) or that of all reports (--reports)"
        )
    for folder in written:
        if folder.name not in {*found, *sweeps}:
            try:
                if is_sweep_report(folder):
                    sweeps[folder.name] = read_sweep_report(folder)
                else:
                    found[folder.name] = build_report(read_report(folder))
            except UserError as error:
                unreadable.append(str(error))
    others = {name: about for name, about in OTHERS.items() if (reports_folder / name).exists()}
    path = reports_folder / PAGE
    # A variant compared with itself, which asks of the suite and not of a mechanism, is the last.
    names = sorted(found, key=lambda name: ((reports_folder / name / AA_PAGE).exists(), name))
    experiments = [found[name] for name in names]
    searches = [sweeps[name] for name in sorted(sweeps)]
    try:
        reports_folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, overall_page(experiments, searches, unreadable, others, origin))
    except OSError as error:
        raise UserError(
            f"{path}: cannot be written: {error.strerror}; free the place or choose another folder "
            "(--reports)"
        ) from error
    return path, unreadable


def _within(folder: Path) -> list[Path]:
    """What lies in a folder, in order; nothing where it is not there."""
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"{folder}: cannot be read ({error.strerror})") from error


def _has_report(path: Path) -> bool:
    """Whether it is a report of either kind; that of the speed benchmark has no such page."""
    try:
        return (path / REPORT_FACTS).exists() and (path / PAGE).exists()
    except OSError:
        return False


def _may_be_one(path: Path) -> bool:
    """Whether it has runs of either kind, or nobody can tell, since it cannot be looked into."""
    if path.name.startswith("."):
        return False
    try:
        return (path / EXPERIMENT).exists() or is_sweep(path) or not path.exists()
    except OSError:
        return True
