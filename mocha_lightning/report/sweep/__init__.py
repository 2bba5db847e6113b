"""The report of a sweep: written and printed from its files alone, and read again."""

from mocha_lightning.report.sweep.console import print_sweep_report
from mocha_lightning.report.sweep.content import SweepReport
from mocha_lightning.report.sweep.write import write_sweep_report
from mocha_lightning.report.sweep.written import is_sweep_report, read_sweep_report

__all__ = [
    "SweepReport",
    "is_sweep_report",
    "print_sweep_report",
    "read_sweep_report",
    "write_sweep_report",
]
