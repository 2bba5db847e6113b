"""The lead baseline: a document's first sentences are its summary."""


def lead(document: str, sentences: int = 3) -> str:
    """The first sentences of a document, a sentence a line (See et al. 2017: three).

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
