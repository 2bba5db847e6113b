"""How a page is put together: texts are escaped, and elements are the templates' own."""

import re

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from mocha_lightning.report.formats import ABSENT, printable

_CODE = re.compile("`([^`]*)`")


def template(name: str) -> Template:
    """One of the templates beside this file, which escapes whatever text it is given."""
    environment = Environment(
        loader=PackageLoader("mocha_lightning.report", "page"),
        autoescape=True,
        finalize=_finished,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["coded"] = _coded
    environment.globals.update(ABSENT=ABSENT)
    return environment.get_template(name)


def _finished(value: object) -> object:
    """A text as the page may hold it; what is an element already stays."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else printable(value)


def _coded(text: str) -> Markup:
    """Escape a sentence whose file names and keys stand between backticks, as in Markdown."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(printable(text)))))
