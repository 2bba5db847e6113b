"""Where the sentences are that ROUGE-Lsum compares, in texts that do not tell it by line ends."""

from collections.abc import Iterable, Sequence
from importlib.metadata import version

LINES = "sentences:lines"
"""A signature's word for sentences that are lines."""
PUNKT = f"sentences:punkt|nltk:{version('nltk')}"
"""What takes its place where they are Punkt's."""


def have_lines(texts: Iterable[str]) -> bool:
    """Whether some text has more than one line: then sentences are lines in all of them."""
    return any("\n" in text.strip() for text in texts)


def by_punkt(texts: Sequence[str]) -> list[str]:
    """The same texts, a sentence a line, as Punkt finds them in running or tokenised text."""
    # Imported where it is needed: NLTK takes half a second.
    from mocha_lightning.data.tokenizing import TreebankTokenizer

    return ["\n".join(TreebankTokenizer().split(text)) for text in texts]
