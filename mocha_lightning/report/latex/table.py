"""From a report to the text of `table.tex`: best, mean and deviation, the paper's columns."""

import math

from jinja2 import Environment, PackageLoader, StrictUndefined

from mocha_lightning.report import layout
from mocha_lightning.report.content import Report
from mocha_lightning.report.formats import ABSENT, decimal, printable

_SIGNS = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        # A signature is one long word, which may be broken here.
        "|": r"\textbar\allowbreak{}",
        "`": r"\textasciigrave{}",
        "'": r"\textquotesingle{}",
    }
)


def latex(report: Report) -> str:
    """Lay out a row for each variant, in booktabs' rules, and say below what makes it again."""
    environment = Environment(
        loader=PackageLoader("mocha_lightning.report", "latex"),
        # A backslash and a brace mean something else here.
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        finalize=_line,
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["escaped"] = escaped
    return environment.get_template("table.tex").render(
        report=report,
        layout=layout,
        rows=layout.variant_table(report).to_dict("records"),
        no_figure=(None, ABSENT, decimal(math.nan)),
    )


def escaped(text: str) -> str:
    """Write a text so that LaTeX prints it as it stands."""
    return printable(text).translate(_SIGNS)


def _line(value: object) -> object:
    return " ".join(printable(value).split()) if isinstance(value, str) else value
