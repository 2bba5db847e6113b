"""An experiment's workspace and report at W&B, as objects that are not there yet."""

from wandb_workspaces import expr
from wandb_workspaces import workspaces as ws
from wandb_workspaces.reports import v2 as wr

from mocha_lightning.dashboard.logged import Logged
from mocha_lightning.dashboard.panels import STEP, sections
from mocha_lightning.errors import UserError
from mocha_lightning.report import Report, layout
from mocha_lightning.report.markdown import markdown_list, markdown_table
from mocha_lightning.report.sample_list import sentence


def build_workspace(logged: Logged, entity: str, project: str) -> ws.Workspace:
    """The panels over the experiment's runs, which are grouped by variant.

    Raises:
        UserError: W&B's library cannot tell its runs from others.
    """
    return ws.Workspace(
        entity=entity,
        project=project,
        # W&B takes neither = nor + in it.
        name=logged.experiment.replace("=", "-").replace("+", "-"),
        sections=[
            ws.Section(name=each.name, panels=each.panels, is_open=True)
            for each in sections(logged)
        ],
        settings=ws.WorkspaceSettings(x_axis=STEP, max_runs=logged.runs),
        runset_settings=ws.RunsetSettings(
            filters=_of_the_experiment(logged),
            groupby=[ws.Metric("JobType")],
            order=[ws.Ordering(ws.Metric("Name"))],
        ),
    )


def build_report(
    logged: Logged, report: Report, entity: str, project: str, *, offline: bool
) -> wr.Report:
    """A page of verdicts and tables, as in ``table.md``, and the panels.

    Args:
        logged: what the runs have logged.
        report: what is said of them.
        entity: of the runs.
        project: of the runs.
        offline: W&B cannot be asked for the project, which is the page's own then.

    Raises:
        UserError: W&B's library cannot tell its runs from others.
    """
    blocks: list[wr.Block] = [wr.MarkdownBlock(text=_words(report))]
    for each in sections(logged):
        # Panels group by variant; not the runs, so that each has its point.
        runs = wr.Runset(
            entity="" if offline else entity,
            project="" if offline else project,
            name=logged.experiment,
            filters=_of_the_experiment(logged),
            order=[wr.OrderBy("Name", ascending=True)],
        )
        blocks += [wr.H2(text=each.name), wr.PanelGrid(runsets=[runs], panels=each.panels)]
    return wr.Report(
        entity=entity,
        project=project,
        # It becomes a part of the address, and could have no slash.
        title=logged.experiment,
        description=f"{layout.measured(report)}; {layout.better(report)} is better",
        width="fluid",
        blocks=blocks,
    )


def _of_the_experiment(logged: Logged) -> expr.And:
    # It would take the sign for its own operator.
    if "=" in logged.experiment:
        raise UserError(
            f"{logged.experiment}: W&B cannot filter runs by a name with '=' in it: run the "
            "experiment under another one (--name)"
        )
    return expr.And(expr.Metric("Group") == logged.experiment)


def _words(report: Report) -> str:
    """What the report says of the experiment, in Markdown."""
    incomplete = layout.incomplete(report)
    comparisons = layout.comparison_table(report)
    parts = [
        f"**{incomplete}**" if incomplete else "",
        *(f"**Warning:** {sentence(warning)}" for warning in report.warnings),
        markdown_list(sentence(row.verdict) for row in report.comparisons),
        layout.uncompared(report) or layout.corrected(report) or "",
        sentence(layout.caption(report)),
        markdown_table(layout.variant_table(report)),
        markdown_list(f"! {sentence(footnote)}" for footnote in report.footnotes),
        "" if comparisons.empty else markdown_table(comparisons),
        sentence(layout.origin(report)),
    ]
    return "\n\n".join(part for part in parts if part)
