"""From the report of a sweep to the text of its `index.html`."""

from collections.abc import Mapping

from markupsafe import Markup, escape
from yaml import safe_dump

from mocha_lightning.report.page.origins import facts, signatures
from mocha_lightning.report.page.templates import template
from mocha_lightning.report.sweep import layout
from mocha_lightning.report.sweep.content import SweepReport
from mocha_lightning.report.sweep.drawings import Drawings


def sweep_page(report: SweepReport, drawings: Drawings, files: Mapping[str, str]) -> str:
    """Put the report of a sweep on one page, in the sentences and tables of `table.md`.

    Args:
        report: what to say.
        drawings: its pictures.
        files: names of files beside the page, and what each of them holds.
    """
    return template("sweep.html").render(
        report=report,
        layout=layout,
        drawings=drawings,
        facts=facts(report.runs),
        signatures=signatures(report.runs),
        searched=_lines({"sampler": report.definition.sampler, "pruner": report.definition.pruner}),
        files=files,
    )


def _lines(content: Mapping[str, object]) -> Markup:
    """As YAML, with the line ends that it needs."""
    return escape(safe_dump(dict(content), sort_keys=False, allow_unicode=True))
