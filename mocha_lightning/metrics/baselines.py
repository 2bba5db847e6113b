"""What a summary is worth that nothing was learnt for, or that knows nothing of its document."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

LEAD_SENTENCES = 3
"""The lead of See et al. (2017), where a corpus does not say how much of a document it is."""
SEED = 0


def lead(document: str, sentences: int = LEAD_SENTENCES) -> str:
    """The first sentences of a document, a sentence a line.

    Args:
        document: a sentence a line, as corpora keep it; or, where it has a single line, running or
            tokenised text, whose sentences Punkt finds.
        sentences: how many.
    """
    lines = [line for line in document.splitlines() if line.strip()]
    if len(lines) == 1:
        # Imported where it is needed: NLTK takes half a second.
        from mocha_lightning.data.tokenizing import TreebankTokenizer

        lines = TreebankTokenizer().split(lines[0])
    return "\n".join(lines[:sentences])


def mismatched(hypotheses: Sequence[str]) -> list[str]:
    """The same outputs, each given to another document, drawn at random.

    There must be two documents or more: a single one would keep its own.
    """
    order = np.random.default_rng(SEED).permutation(len(hypotheses))
    # One round through all of them, so that none comes back to its own document.
    dealt = [""] * len(hypotheses)
    for taker, giver in zip(order, np.roll(order, 1), strict=True):
        dealt[taker] = hypotheses[giver]
    return dealt


def commonest(hypotheses: Sequence[str]) -> tuple[str, int]:
    """The output that was made of the most documents, and of how many; of equals, the first."""
    ((output, documents),) = Counter(hypotheses).most_common(1)
    return output, documents
