"""A document that is read word by word has the summary that it has as a whole."""

import random
from functools import partial

import pytest
import torch

from mocha_lightning.attention import MAtChA, MILk, MoChA, MonotonicAttention
from mocha_lightning.data import DocumentBatch
from mocha_lightning.errors import UserError
from mocha_lightning.summarizer import Summarizer
from mocha_lightning.summarizer.streaming import SummaryStream

from .setting import VOCABULARY, documents, lively, padded, tiny

HEADED = {"monotonic": MonotonicAttention, "mocha": MoChA, "matcha": MAtChA, "milk": MILk}
WORDS = (*VOCABULARY.words, "xx", "yy", "zz")


def streaming(name: str, seed: int = 0, **arguments: int) -> Summarizer:
    """Untrained, with stops throughout the document."""
    attention = partial(HEADED[name], offset=-1, gain=6)
    task = tiny(attention, seed, unidirectional=True, **arguments).eval()
    with torch.no_grad():
        task.encoder.embedding.weight.mul_(3)
        task.decoder.embedding.weight.mul_(3)
        task.decoder.output.weight.mul_(10)
        task.decoder.pointer_generator.gate.weight.mul_(6)
        # As after training: these are no words.
        task.decoder.output.bias[[VOCABULARY.PAD, VOCABULARY.SOS]] = -50
        # Ends come early, and words from the document.
        task.decoder.output.bias[VOCABULARY.EOS] = 8
        task.decoder.pointer_generator.gate.bias.fill_(-1)
    return task


def document_of(words: list[str]) -> DocumentBatch:
    batch = documents("one")
    unknown = VOCABULARY.unknown(words)
    extended, lengths = padded([VOCABULARY.encode(words, unknown)])
    return batch._replace(
        source=extended.masked_fill(extended >= len(VOCABULARY), VOCABULARY.UNK),
        extended_source=extended,
        source_lengths=lengths,
        unknown=(unknown,),
    )


def offline(task: Summarizer, words: list[str]) -> list[str]:
    batch = document_of(words)
    with torch.no_grad():
        found = task.decode(task.read(batch), "hard")
    return VOCABULARY.decode(found.tokens[0].tolist(), batch.unknown[0])


def cut(words: list[str], draw: random.Random) -> list[list[str]]:
    places = sorted(draw.choices(range(len(words) + 1), k=draw.randrange(6)))
    return [words[a:b] for a, b in zip([0, *places], [*places, len(words)], strict=True)]


@pytest.mark.parametrize("name", ["monotonic", "mocha", "matcha", "milk"])
def test_any_cutting_gives_the_summary_of_the_whole(name: str) -> None:
    draw = random.Random(0)
    early, copied = 0, set()
    for trial in range(12):
        task = streaming(name, seed=trial, min_outputs=trial % 4, max_outputs=12)
        words = draw.choices(WORDS, k=draw.randrange(1, 40))
        expected = offline(task, words)
        stream, found = SummaryStream(task), []
        for piece in cut(words, draw):
            found += stream.accept(piece)
        early += sum(word.read < len(words) for word in found)
        found += stream.finish()
        assert [word.text for word in found] == expected
        copied |= {*expected} - {*VOCABULARY.words}
        for word in found:
            assert word.stopped is None or word.stopped < word.read <= len(words)
    assert early > 5  # and not all at the end
    assert len(copied & {"xx", "yy", "zz"}) >= 2  # which have numbers of the document alone


def test_a_word_comes_with_the_words_it_needs() -> None:
    """Never later than where the head stopped for it."""
    task = streaming("mocha", seed=3)
    words = random.Random(1).choices(WORDS, k=40)
    stream = SummaryStream(task)
    for count, word in enumerate(words, 1):
        for told in stream.accept([word]):
            assert (told.read, told.stopped) == (count, count - 1)


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("soft", {"unidirectional": True}, "SoftAttention has no monotonic head"),
        ("mocha", {}, "its encoder is bidirectional"),
        ("mocha", {"unidirectional": True, "initial_state": "encoder"}, "begins with the encoder"),
    ],
)
def test_what_needs_the_whole_document_is_refused(name: str, arguments: dict, why: str) -> None:
    torch.manual_seed(0)
    with pytest.raises(UserError, match=f"{why}.*so the first word of a summary may need"):
        SummaryStream(lively(name, **arguments))
