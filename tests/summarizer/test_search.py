"""Searching over the extended vocabulary, against loops over one document."""

import math

import pytest
import torch
from oracles import decoding as oracle

from mocha_lightning.attention import MonotonicAttention
from mocha_lightning.errors import NotANumberError
from mocha_lightning.summarizer import Summarizer

from .setting import ALL, MECHANISMS, TINY, VOCABULARY, V, documents, lively, tiny

MODES = ["hard", "expected"]
CAP = TINY["max_outputs"]


def gains_of(task: Summarizer, name: str, mode: str):
    """Log-probabilities of the next word given the words so far, of one document by itself."""
    read = task.read(documents(name))

    def gains(sequence: tuple[int, ...]) -> list[float]:
        state = task.decoder.begin(read, mode)
        for word in (VOCABULARY.SOS, *sequence):
            words = torch.tensor([word])
            scores, state, _ = task.decoder.distribute(
                words, read.memory, state, mode, read.words, read.size
            )
        return scores[0].double().log_softmax(-1).tolist()

    return gains


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", MECHANISMS)
@torch.no_grad()
def test_a_width_of_1_takes_the_likeliest_word_in_a_batch_as_alone(name: str, mode: str) -> None:
    task = lively(name)
    found = task.decode(task.read(documents(*ALL, extra=3)), mode)
    for row, document in enumerate(ALL):
        gains, words = gains_of(task, document, mode), []
        while len(words) < CAP and VOCABULARY.EOS not in words:
            scores = gains(tuple(words))
            words.append(max(range(len(scores)), key=scores.__getitem__))
        ended = words[-1] == VOCABULARY.EOS
        assert found.capped[row] == (not ended)
        assert found.tokens[row, : len(words)].tolist() == words


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["soft", "mocha"])
@torch.no_grad()
def test_a_beam_finds_what_the_loop_finds(name: str, mode: str) -> None:
    task = lively(name, beam_threshold=4.0, max_outputs=5)
    found = task.decode(task.read(documents(*ALL)), mode, 4)
    for row, document in enumerate(ALL):
        gains = gains_of(task, document, mode)
        (best, _), *_ = oracle.beam(gains, 5, VOCABULARY.EOS, 4, 4.0, 0.0)
        assert found.tokens[row, : len(best)].tolist() == list(best)


def test_words_that_the_vocabulary_lacks_are_found() -> None:
    """With the generator shut, all that can come is in the document."""
    task = lively("soft")
    with torch.no_grad():
        task.decoder.pointer_generator.gate.bias.fill_(-1000)
    found = task.decode(task.read(documents(*ALL)), "hard", 4)
    assert (found.tokens >= V).any()
    assert found.capped.all()  # no document has the end mark
    for row, name in enumerate(ALL):
        words = VOCABULARY.decode(found.tokens[row].tolist(), documents(name).unknown[0])
        assert set(words) <= set(documents(name).examples[0].document.split())


def test_no_summary_ends_before_the_least_or_after_the_most() -> None:
    task = tiny(min_outputs=3, max_outputs=6).eval()
    batch = documents(*ALL)
    with torch.no_grad():
        task.decoder.output.bias[VOCABULARY.EOS] = 100
        task.decoder.pointer_generator.gate.bias.fill_(100)
    for width in (1, 4):
        assert task.decode(task.read(batch), "hard", width).lengths.tolist() == [3] * len(ALL)
    with torch.no_grad():
        task.decoder.output.bias[VOCABULARY.EOS] = -200
    found = task.decode(task.read(batch), "hard")
    assert found.lengths.tolist() == [6] * len(ALL)
    assert found.capped.all()


def test_off_the_end_there_is_nothing_to_copy() -> None:
    task = tiny(lambda *sizes: MonotonicAttention(*sizes, offset=-100)).eval()
    found = task.decode(task.read(documents(*ALL)), "hard")
    assert (found.attended[~found.attended.isnan()] == 0).all()
    assert (found.tokens < V).all()


def test_a_score_that_is_no_number_is_an_error() -> None:
    task = tiny().eval()
    with torch.no_grad():
        task.decoder.output.bias[5] = math.nan
    with pytest.raises(NotANumberError):
        task.decode(task.read(documents(*ALL)), "hard")
