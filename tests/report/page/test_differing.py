"""Word by word."""

from mocha_lightning.report.page.differing import Piece, differences, document_pieces, whole


def test_each_kind_of_error_is_a_piece() -> None:
    assert differences("one two three four", "zero one too three") == [
        Piece("insert", (), ("zero",)),
        Piece("equal", ("one",), ("one",)),
        Piece("substitute", ("two",), ("too",)),
        Piece("equal", ("three",), ("three",)),
        Piece("delete", ("four",), ()),
    ]


def test_the_pieces_hold_both_texts_whatever_they_are() -> None:
    for reference, output in (("", "a b"), ("a  b\nc", ""), ("", ""), ("a\tb", " b a b ")):
        pieces = differences(reference, output)
        assert [w for piece in pieces for w in piece.reference] == reference.split()
        assert [w for piece in pieces for w in piece.output] == output.split()


def test_a_summary_in_its_own_words_is_not_aligned() -> None:
    assert document_pieces("a b c d e f", "x y z d q r") is None
    assert document_pieces("a b c d", "a b x d") == differences("a b c d", "a b x d")
    assert document_pieces("", "") == []


def test_an_output_that_is_not_compared_is_there_whole() -> None:
    assert list(whole("a b")) == [Piece("equal", ("a", "b"), ("a", "b"))]
    assert list(whole(" ")) == []
