"""What the troubleshooting page quotes is what the suite says."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "troubleshooting.md"
MESSAGES = [
    line
    for block in re.findall(r"^```text\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    for line in block.splitlines()
]
OTHERS = (
    "error:",
    "unrecognized arguments:",
    "No such file or directory",
    "No space left on device",
    "mapping values are not allowed here",
    "Token authentication is enabled",
    "diverged",
)
"""Said by libraries and the system, before every message, or as a word by itself."""
EXAMPLES = {
    *("MoCha", "MoChA", "SoftAttention", "SpokenNumbers", "OSError", "SIGKILL"),
    *("batchsize", "chunksize", "mocha", "monotonic", "train", "trainer", "trainr"),
    *("recording", "recordings", "slurm", "torch"),
}
"""Words that stand for what a reader gave; whatever has a digit or a sign in it does, too."""
SHORTEST = 5
"""Letters of a word, and of a text of the package, that count: shorter ones are everywhere."""


@cache
def fixed_parts() -> list[str]:
    """What stands between the values in all texts of the package, the longest first."""
    parts = set()
    for path in (PROJECT / "mocha_lightning").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            # A single word may be the name of anything.
            if isinstance(node, ast.Constant) and " " in str(node.value):
                parts.add(str(node.value).strip())
    return sorted((part for part in parts if len(part) >= SHORTEST), key=len, reverse=True)


def unknown_words(message: str) -> list[str]:
    """The words of a message that no text of the package has, and that are no example's."""
    for part in (*OTHERS, *fixed_parts()):
        message = message.replace(part, " \n ")
    words = re.findall(r"[^\s,;:()'\"`!?=]+", message)
    fixed = (word for word in words if word.isalpha() and len(word) >= SHORTEST)
    return [word for word in fixed if word not in EXAMPLES]


def test_the_page_quotes_messages_of_every_kind() -> None:
    assert len(MESSAGES) > 50


@pytest.mark.parametrize("message", MESSAGES, ids=range(len(MESSAGES)))
def test_the_fixed_words_of_a_quoted_message_are_in_the_package(message: str) -> None:
    assert unknown_words(message) == []


def test_words_that_nothing_says_are_noticed() -> None:
    assert unknown_words("error: bad.yaml:2: trainr: is no key of an experiment: add it") == []
    assert unknown_words("error: bad.yaml:2: trainr: is no key of a recipe: add it") == ["recipe"]
