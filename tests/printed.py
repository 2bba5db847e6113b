"""What README and the pages of docs print for a reader to copy: blocks, commands, files."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


class Block(NamedTuple):
    """A block of a page between fences.

    Attributes:
        page: where it is printed.
        language: the word after the fence.
        text: what is between the fences.
    """

    page: Path
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The name of the file that it is, where its first line is a comment that says so."""
        named = re.match(r"# ([\w./-]+\.(?:yaml|py))\n", self.text)
        return named[1] if named else None

    def __str__(self) -> str:
        return f"{self.page.name}: {self.file or self.text.splitlines()[0]}"


class Piece(NamedTuple):
    """A command of a page, one of a pipeline perhaps.

    Attributes:
        page: where it is printed.
        words: its own, as the shell would take them.
        made: the file that its output becomes.
        earlier: the commands before it on that page.
    """

    page: Path
    words: list[str]
    made: str | None
    earlier: list[list[str]]

    def __str__(self) -> str:
        return f"{self.page.name}: {' '.join(self.words)}"


def blocks(language: str) -> list[Block]:
    """All blocks of a language."""
    return [block for block in all_blocks() if block.language == language]


@cache
def all_blocks() -> list[Block]:
    """All blocks of all pages."""
    return [Block(page, *found) for page in PAGES for found in FENCE.findall(page.read_text())]


def prose(page: Path) -> str:
    """A page without its blocks and comments."""
    return re.sub(r"<!--.*?-->", "", FENCE.sub("", page.read_text()), flags=re.S)


@cache
def pieces() -> list[Piece]:
    """All commands of all pages."""
    found = []
    for page in PAGES:
        earlier: list[list[str]] = []
        for block in (each for each in blocks("sh") if each.page == page):
            for words, made in _commands(block.text):
                found.append(Piece(page, words, made, list(earlier)))
                earlier.append(words)
    return found


def _commands(text: str) -> Iterator[tuple[list[str], str | None]]:
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
        lexer.whitespace_split = True
        words: list[str] = []
        made = None
        for word in lexer:
            if word == "|":
                yield words, None
                words = []
            elif word == ">":
                made = next(lexer)
            else:
                words.append(word)
        if words:
            yield words, made


def write_files(page: Path, folder: Path) -> list[str]:
    """Write the files that a page prints into a folder that has the suite's experiments, too."""
    (folder / "experiments").symlink_to(ROOT / "experiments")
    (folder / "sweeps").mkdir()
    for sweep in (ROOT / "sweeps").glob("*.yaml"):
        (folder / "sweeps" / sweep.name).symlink_to(sweep)
    written = []
    for block in all_blocks():
        if block.page == page and block.file:
            (folder / block.file).write_text(block.text)
            written.append(block.file)
    return written
