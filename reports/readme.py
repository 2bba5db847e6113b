"""Put tables of ``reports/published`` into README.md and the pages of docs, where these say which.

A comment ``<!-- wsj-small: 1 2 -->`` asks for the first and the second table of
``reports/published/wsj-small/table.md`` and for the line that says where they are from; they take
the place of whatever stands between it and the ``<!-- end -->`` that belongs to it. A table's
columns may be chosen: ``<!-- wsj-small: 1 [variant | mean | SD] 2 -->``. After the tables a figure
of that page may be named: ``<!-- reordering: 4 reordering.png -->``. What is still to be run ends
with ``if published``, and a line says so where there is no such report. With ``--check`` nothing is
written, and a page that does not have them ends the script with 1. So does one whose comments do
not pair, or that asks for what is not there; all pages stay as they are then.
"""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import groupby
from os.path import relpath
from pathlib import Path
from typing import NamedTuple, NoReturn

PROJECT = Path(__file__).parents[1]
PUBLISHED = PROJECT / "reports" / "published"
TABLE = re.compile(r"(\d+)(?: \[([^\]]+)\])?")
REQUEST = re.compile(
    r"<!-- (?P<experiment>[A-Za-z0-9._+=-]+):(?P<tables>(?: \d+(?: \[[^\]]+\])?)+)"
    r"(?: (?P<figure>[A-Za-z0-9-]+\.png))?(?P<optional> if published)? -->"
)
END = "<!-- end -->"


class Place(NamedTuple):
    """A line of a page."""

    page: Path
    line: int

    def refuse(self, problem: str) -> NoReturn:
        """Say what is wrong there, and end."""
        sys.exit(f"error: {self.page}:{self.line}: {problem}")


def filled(page: Path, text: str) -> str:
    """A page's text with the tables that it asks for; every other line stays as it is."""
    return "".join(_filled(page, text.splitlines(keepends=True)))


def _filled(page: Path, lines: list[str]) -> Iterator[str]:
    begun: Place | None = None
    for number, line in enumerate(lines, 1):
        place = Place(page, number)
        request = REQUEST.fullmatch(line.strip())
        if request is not None:
            if begun:
                begun.refuse(f"the tables asked for here have no {END} before line {number}")
            begun = place
            yield f"{line}\n{_asked(request, place)}\n\n"
        elif line.strip() == END:
            if not begun:
                place.refuse(f"{END} ends no tables: ask for some above, or remove it")
            begun = None
        if not begun:
            yield line
    if begun:
        begun.refuse(f"the tables asked for here have no {END}: add it where they end")


def _asked(request: re.Match[str], place: Place) -> str:
    """What a comment asks for."""
    experiment = request["experiment"]
    path = PUBLISHED / experiment / "table.md"
    if request["optional"] and not path.parent.exists():
        return f"(Not published yet: run {experiment}, then `make published`.)"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        place.refuse(f"{path} cannot be read ({error}): run {experiment}, then make published")
    rows = groupby(lines, key=lambda row: row.startswith("|"))
    tables = [list(table) for is_table, table in rows if is_table]
    parts = []
    for number, columns in TABLE.findall(request["tables"]):
        if not 1 <= int(number) <= len(tables):
            place.refuse(f"asks for table {number}, and {path} has {len(tables)}")
        table = tables[int(number) - 1]
        parts.append("\n".join(_chosen(table, columns, place) if columns else table))
    if request["figure"]:
        parts.append(_picture(lines, path, request["figure"], place))
    return "\n\n".join([*parts, lines[-1]])


def _chosen(table: list[str], columns: str, place: Place) -> Iterator[str]:
    """Some columns of a table."""
    cells = [row.strip("|").split("|") for row in table]
    there = [name.strip() for name in cells[0]]
    wanted = [name.strip() for name in columns.split("|")]
    for name in wanted:
        if name not in there:
            place.refuse(f"asks for the column {name!r}, and there is {', '.join(there)}")
    for row in cells:
        yield f"|{'|'.join(row[there.index(name)] for name in wanted)}|"


def _picture(lines: list[str], path: Path, name: str, place: Place) -> str:
    """A figure of a report, as a page elsewhere shows it."""
    end = f"(figures/{name})"
    shown = [each for each in lines if each.startswith("![") and each.endswith(end)]
    if not shown:
        place.refuse(f"asks for the figure {name}, and {path} has none of that name")
    folder = Path(relpath(path.parent, place.page.parent)).as_posix()
    return f"{shown[0].removesuffix(end)}({folder}/figures/{name})"


def main() -> None:
    """Write the pages anew, or check them."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, say whether it is so")
    check = parser.parse_args().check
    changed = {}
    for page in (PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))):
        text = page.read_bytes().decode()
        if (wanted := filled(page, text)) != text:
            changed[page] = wanted
    if check and changed:
        names = ", ".join(page.relative_to(PROJECT).as_posix() for page in changed)
        sys.exit(f"error: {names}: not the tables of reports/published: make published")
    for page, text in changed.items():
        page.write_bytes(text.encode())


if __name__ == "__main__":
    main()
