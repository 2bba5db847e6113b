"""The report of a sweep as a Markdown page, `table.md`."""

from mocha_lightning.report.markdown import markdown_list, markdown_table
from mocha_lightning.report.sample_list import sentence
from mocha_lightning.report.sweep import layout
from mocha_lightning.report.sweep.content import SweepReport
from mocha_lightning.report.sweep.drawings import Drawings


def sweep_markdown(report: SweepReport, drawings: Drawings) -> str:
    """Put the report of a sweep on a page: verdicts, every trial, pictures, how to do it again."""
    incomplete = layout.incomplete(report)
    columns = [f"**{name}**: {meaning}" for name, meaning in layout.meanings(report).items()]
    parts = [
        f"# {sentence(report.name)}",
        f"**{incomplete}**" if incomplete else "",
        sentence(layout.caption(report)),
        *(f"**Warning:** {sentence(warning)}" for warning in report.warnings),
        "## Verdict",
        markdown_list([*map(sentence, layout.verdicts(report)), layout.advice(report)]),
        "## Trials",
        layout.counted(report),
        markdown_table(layout.trial_table(report), 2),
        markdown_list(columns),
        "## Space",
        markdown_list(map(sentence, layout.space_lines(report))),
        sentence(layout.searched(report)),
    ]
    for drawing in drawings.shown:
        picture = drawing.numbers[0]
        parts += [
            f"## {sentence(drawing.heading)}",
            f"![{sentence(drawing.says)}]({picture})",
            sentence(drawing.caption),
        ]
    if drawings.left_out:
        parts += ["## Pictures left out", markdown_list(layout.left_out_lines(drawings.left_out))]
    if report.notes:
        parts += ["## What to know of the experiment", markdown_list(map(sentence, report.notes))]
    parts.append(sentence(layout.origin(report)))
    return "\n\n".join(part for part in parts if part) + "\n"
