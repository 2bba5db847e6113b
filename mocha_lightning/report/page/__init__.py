"""The report as one file for a browser, `index.html`, which loads nothing."""

from mocha_lightning.report.page.build import page

__all__ = ["page"]
