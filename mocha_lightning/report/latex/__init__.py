"""The table for a paper, `table.tex`."""

from mocha_lightning.report.latex.table import latex

__all__ = ["latex"]
