"""The report of a sweep: `write_sweep_report` and `print_sweep_report`, from its files alone."""

from mocha_lightning.report.sweep.console import print_sweep_report
from mocha_lightning.report.sweep.tables import SweepReport
from mocha_lightning.report.sweep.write import write_sweep_report

__all__ = ["SweepReport", "print_sweep_report", "write_sweep_report"]
