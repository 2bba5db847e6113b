"""From a report to the text of `index.html`."""

from collections.abc import Mapping

import yaml
from markupsafe import Markup, escape

from mocha_lightning.report import layout
from mocha_lightning.report.content import Report
from mocha_lightning.report.curves import Curves
from mocha_lightning.report.legend import comparison_legend, text_legend, variant_legend
from mocha_lightning.report.page.differing import Piece, differences, document_pieces, whole
from mocha_lightning.report.page.drawings import learning, pictures, points
from mocha_lightning.report.page.origins import origins
from mocha_lightning.report.page.templates import template
from mocha_lightning.report.samples import ABOUT, Sample
from mocha_lightning.report.signature_legend import record_legend, signature_legend
from mocha_lightning.report.text_tables import group_table, scores_table


def page(
    report: Report, curves: Curves, figures: Mapping[str, bytes], files: Mapping[str, str]
) -> str:
    """Put a report on one page, in the tables and sentences of `table.md`.

    Args:
        report: what to say.
        curves: of its runs.
        figures: pictures by the name of their files in the folder ``figures`` beside the page.
        files: names of files beside the page, and what each of them holds.
    """
    variants = layout.variant_table(report)
    cost = [column for column in layout.COST if column in variants]
    drawings = list(pictures(figures))
    meanings = variant_legend(report)
    return template("page.html").render(
        report=report,
        layout=layout,
        scored=variants.drop(columns=cost),
        cost=variants[["variant", *cost]],
        comparisons=layout.comparison_table(report),
        legends={
            "scores": {name: said for name, said in meanings.items() if name not in cost},
            "cost": {name: said for name, said in meanings.items() if name in cost},
            "comparisons": comparison_legend(report),
            "texts": text_legend(report.texts),
            "signatures": signature_legend(report.signatures),
            "records": record_legend(report.runs),
        },
        baselines=scores_table(report.texts),
        orders=group_table(report.texts),
        points=points(report),
        learning=learning(report, curves),
        lacking=curves.lacking,
        others=[each for each in drawings if each.heading != "Alignments"],
        alignments=[each for each in drawings if each.heading == "Alignments"],
        samples_about=ABOUT,
        origins=origins(report),
        configurations=_configurations(report),
        files=files,
        pieces=_pieces,
    )


def _configurations(report: Report) -> dict[str, Markup]:
    """That of each variant, which its runs share; with the line ends that YAML needs."""
    configs = {run.variant: run.config for run in report.runs}
    return {
        variant: escape(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
        for variant, config in configs.items()
    }


def _pieces(sample: Sample, variant: str) -> tuple[list[Piece], bool]:
    """What a variant made of a sample, and whether that is compared with the reference."""
    output = sample.outputs[variant] or ""
    if sample.source is None:
        return differences(sample.reference, output), True
    compared = document_pieces(sample.reference, output)
    return (list(whole(output)), False) if compared is None else (compared, True)
