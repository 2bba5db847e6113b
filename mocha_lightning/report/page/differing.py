"""Where an output differs from the true text, word by word."""

from collections.abc import Iterator
from typing import NamedTuple

ALIKE = 1 / 3
"""Of two texts that share fewer of their words no alignment tells anything."""


class Piece(NamedTuple):
    """Words of the output and those of the reference in whose place they stand."""

    kind: str
    """`equal`, `substitute`, `insert` or `delete`."""
    reference: tuple[str, ...]
    output: tuple[str, ...]


def differences(reference: str, output: str) -> list[Piece]:
    """Align an output with the true text by the fewest word errors, as WER counts them (jiwer).

    Returns:
        The pieces in the order of both texts.
    """
    # Not needed where a report shows no samples.
    from jiwer import process_words

    truth, made = reference.split(), output.split()
    (chunks,) = process_words(" ".join(truth), " ".join(made)).alignments
    return [
        Piece(
            chunk.type,
            tuple(truth[chunk.ref_start_idx : chunk.ref_end_idx]),
            tuple(made[chunk.hyp_start_idx : chunk.hyp_end_idx]),
        )
        for chunk in chunks
    ]


def document_pieces(reference: str, output: str) -> list[Piece] | None:
    """The same of a summary; None where it is worded on its own and shares too little."""
    pieces = differences(reference, output)
    shared = sum(len(piece.output) for piece in pieces if piece.kind == "equal")
    longer = max(len(reference.split()), len(output.split()))
    return pieces if shared >= ALIKE * longer else None


def whole(output: str) -> Iterator[Piece]:
    """An output in which nothing is compared."""
    words = tuple(output.split())
    if words:
        yield Piece("equal", words, words)
