"""From results to words and tables: `write_report` and `print_report`.

Nothing here imports torch, so a report does not wait for it.
"""

from mocha_lightning.report.console import print_report
from mocha_lightning.report.content import Report
from mocha_lightning.report.write import write_report

__all__ = ["Report", "print_report", "write_report"]
