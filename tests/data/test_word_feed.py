"""A text in pieces has the words that it has as a whole."""

import random
from itertools import pairwise

import pytest

from mocha_lightning.data.tokenizing import SpaceTokenizer, Tokenizer, TreebankTokenizer
from mocha_lightning.data.word_feed import WordFeed
from mocha_lightning.errors import UserError

PARTS = (
    *("The cat", "didn't", "ΟΔΟΣ.", "Σ", "U.S.", "zébra\u2019s", "猫", "\U0001f600", "...", "(a)"),
    *(" ", "  ", "\n", "\r\n", "\r", "\u2028", "\x1c", "\x85", "\t", "\u00a0", "'", "."),
)


def fed(tokenizer: Tokenizer, pieces: list[bytes]) -> list[str]:
    feed = WordFeed(tokenizer)
    return [*(word for piece in pieces for word in feed.accept(piece)), *feed.finish()]


@pytest.mark.parametrize("tokenizer", [SpaceTokenizer(), TreebankTokenizer()])
def test_words_do_not_depend_on_the_pieces(tokenizer: Tokenizer) -> None:
    draw = random.Random(0)
    for _ in range(60):
        text = "".join(draw.choices(PARTS, k=draw.randrange(30)))
        content = text.encode()
        expected = [word for sentence in tokenizer.sentences(text) for word in sentence]
        places = sorted(draw.choices(range(len(content) + 1), k=draw.randrange(12)))
        places = [0, *places, len(content)]
        pieces = [content[a:b] for a, b in pairwise(places)]
        assert fed(tokenizer, pieces) == expected
        assert fed(tokenizer, [bytes([byte]) for byte in content]) == expected


def test_words_come_as_soon_as_they_are_whole() -> None:
    feed = WordFeed(SpaceTokenizer())
    assert feed.accept(b"the c") == ["the"]
    assert feed.accept(b"at") == []
    assert feed.accept(b" s") == ["cat"]
    assert feed.finish() == ["s"]
    feed = WordFeed(TreebankTokenizer())
    assert feed.accept(b"It is. No") == []
    assert feed.accept(b"t yet.\nBut") == ["it", "is", ".", "not", "yet", "."]
    assert feed.finish() == ["but"]


def test_a_byte_order_mark_is_no_word() -> None:
    assert fed(SpaceTokenizer(), [b"\xef", b"\xbb\xbfthe", b" cat"]) == ["the", "cat"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\nb\nc \xff d", "byte 0xff in line 3"),
        (b"\xe9", "byte 0xe9 in line 1"),
        (b"a\n\xc3", "byte 0xc3 in line 2"),
        (b"a\n\xed\xa0\x80", "byte 0xed in line 2"),  # half of a surrogate pair
    ],
)
def test_what_is_not_utf_8_is_named_by_its_line(content: bytes, said: str) -> None:
    for pieces in ([content], [bytes([byte]) for byte in content]):
        with pytest.raises(UserError, match=f"is not UTF-8 .{said}"):
            fed(SpaceTokenizer(), pieces)


def test_a_line_without_end_is_refused_before_it_fills_the_memory() -> None:
    feed = WordFeed(TreebankTokenizer())
    feed.accept(b"one\n")
    for _ in range(16):
        assert feed.accept(b"." * (1 << 20)) == []
    with pytest.raises(UserError, match="line 2 has more than 16,777,216 characters"):
        feed.accept(b".")
