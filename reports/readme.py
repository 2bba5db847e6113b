"""Put tables of ``reports/published`` into README.md, where it says which.

A comment ``<!-- wsj-small: 1 2 -->`` asks for the first and the second table of
``reports/published/wsj-small/table.md`` and for the line that says where they are from; they take
the place of whatever stands between it and the next ``<!-- end -->``. With ``--check`` nothing is
written, and a README that does not have them ends the script with 1.
"""

import re
import sys
from argparse import ArgumentParser
from itertools import groupby
from pathlib import Path

PROJECT = Path(__file__).parents[1]
README = PROJECT / "README.md"
PUBLISHED = PROJECT / "reports" / "published"
BLOCK = re.compile(r"(<!-- (\S+): ([\d ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """A text with the tables that it asks for."""
    return BLOCK.sub(_fill, text)


def _fill(block: re.Match[str]) -> str:
    begin, experiment, numbers, end = block.groups()
    path = PUBLISHED / experiment / "table.md"
    if not path.is_file():
        sys.exit(f"error: {path} is not there, and README.md asks for its tables: run {experiment}")
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = groupby(lines, key=lambda line: line.startswith("|"))
    tables = ["\n".join(table) for is_table, table in rows if is_table]
    asked = [tables[int(number) - 1] for number in numbers.split()]
    return begin + "\n" + "\n\n".join([*asked, lines[-1]]) + "\n\n" + end


def main() -> None:
    """Write README.md anew, or check it."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, say whether it is so")
    check = parser.parse_args().check
    text = README.read_text(encoding="utf-8")
    if filled(text) == text:
        return
    if check:
        sys.exit("error: README.md has not the tables of reports/published: make published")
    README.write_text(filled(text), encoding="utf-8")


if __name__ == "__main__":
    main()
