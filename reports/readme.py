"""Put tables of ``reports/published`` into README.md, where it says which.

A comment ``<!-- wsj-small: 1 2 -->`` asks for the first and the second table of
``reports/published/wsj-small/table.md`` and for the line that says where they are from; they take
the place of whatever stands between it and the ``<!-- end -->`` that belongs to it. After the
tables a figure of that page may be named: ``<!-- reordering: 4 reordering.png -->``. What is still
to be run ends with ``if published``, and a line says so where there is no such report. With
``--check`` nothing is written, and a README that does not have them ends the script with 1. So does
one whose comments do not pair, or that asks for what is not there; it stays as it is.
"""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NoReturn

PROJECT = Path(__file__).parents[1]
README = PROJECT / "README.md"
PUBLISHED = PROJECT / "reports" / "published"
REQUEST = re.compile(
    r"<!-- (?P<experiment>[A-Za-z0-9._+=-]+): (?P<tables>\d+(?: \d+)*)"
    r"(?: (?P<figure>[A-Za-z0-9-]+\.png))?(?P<optional> if published)? -->"
)
END = "<!-- end -->"


def filled(text: str) -> str:
    """A text with the tables that it asks for; every line outside of them stays as it is."""
    return "".join(_filled(text.splitlines(keepends=True)))


def _filled(lines: list[str]) -> Iterator[str]:
    begun = 0
    for number, line in enumerate(lines, 1):
        request = REQUEST.fullmatch(line.strip())
        if request is not None:
            if begun:
                _refuse(begun, f"the tables asked for here have no {END} before line {number}")
            begun = number
            yield f"{line}\n{_asked(request, number)}\n\n"
        elif line.strip() == END:
            if not begun:
                _refuse(number, f"{END} ends no tables: ask for some above, or remove it")
            begun = 0
        if not begun:
            yield line
    if begun:
        _refuse(begun, f"the tables asked for here have no {END}: add it where they end")


def _asked(request: re.Match[str], line: int) -> str:
    """What a comment asks for."""
    experiment = request["experiment"]
    path = PUBLISHED / experiment / "table.md"
    if request["optional"] and not path.parent.exists():
        return f"(Not published yet: run {experiment}, then `make published`.)"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        _refuse(line, f"{path} cannot be read ({error}): run {experiment}, then make published")
    rows = groupby(lines, key=lambda row: row.startswith("|"))
    tables = ["\n".join(table) for is_table, table in rows if is_table]
    wanted = [int(number) for number in request["tables"].split()]
    for number in wanted:
        if not 1 <= number <= len(tables):
            _refuse(line, f"asks for table {number}, and {path} has {len(tables)}")
    pictures = [_picture(lines, path, request["figure"], line)] if request["figure"] else []
    return "\n\n".join([*(tables[number - 1] for number in wanted), *pictures, lines[-1]])


def _picture(lines: list[str], page: Path, name: str, line: int) -> str:
    """A figure of a page, as README shows it."""
    place = f"(figures/{name})"
    shown = [each for each in lines if each.startswith("![") and each.endswith(place)]
    if not shown:
        _refuse(line, f"asks for the figure {name}, and {page} has none of that name")
    folder = page.parent.relative_to(PROJECT).as_posix()
    return f"{shown[0].removesuffix(place)}({folder}/figures/{name})"


def _refuse(line: int, problem: str) -> NoReturn:
    sys.exit(f"error: {README}:{line}: {problem}")


def main() -> None:
    """Write README.md anew, or check it."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, say whether it is so")
    check = parser.parse_args().check
    text = README.read_bytes().decode()
    if filled(text) == text:
        return
    if check:
        sys.exit("error: README.md has not the tables of reports/published: make published")
    README.write_bytes(filled(text).encode())


if __name__ == "__main__":
    main()
