"""Beam search with the recogniser: every hypothesis has its own attention, the memory is shared."""

import math

import pytest
import torch
from attention.setting import MECHANISMS
from recognizer.setting import ALL, UTTERANCES, speech, tiny

from mocha_lightning.data import Vocabulary
from mocha_lightning.decoding import Decoded, Searched, beam
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.recognizer.decoder import DecoderState

MODES = ["hard", "expected"]


@pytest.fixture(params=MECHANISMS)
def task(request: pytest.FixtureRequest) -> SpeechRecognizer:
    """Untrained, but with outputs that are not all the same."""
    task = tiny(MECHANISMS[request.param]).eval()
    with torch.no_grad():
        task.decoder.output.weight.mul_(10)
        task.decoder.embedding.weight.mul_(3)
    return task


def search(task: SpeechRecognizer, memory, mode: str, width: int, threshold=None) -> Searched:
    def step(symbols, state, utterances):
        logits, state, attended = task.decoder.step(symbols, memory.select(utterances), state, mode)
        return logits, state, attended.weights

    caps = memory.lengths
    return beam(
        step,
        DecoderState.select,
        task.decoder.start(memory, mode),
        caps,
        Vocabulary.SOS,
        Vocabulary.EOS,
        width=width,
        threshold=threshold,
    )


def same(one: Decoded, other: Decoded) -> bool:
    # Of all but the stops, which greedy search alone tells.
    pairs = zip(one[:4], other[:4], strict=True)
    return all(torch.equal(a.nan_to_num(-1), b.nan_to_num(-1)) for a, b in pairs)


@pytest.mark.parametrize("mode", MODES)
def test_a_width_of_one_is_greedy_search(task: SpeechRecognizer, mode: str) -> None:
    """To the last bit, an utterance at a time; batches of other sizes may round otherwise."""
    for name in ALL:
        memory = task.encode(speech(name))
        assert same(search(task, memory, mode, 1).best, task.decode(memory, mode))
    memory = task.encode(speech(*ALL))
    found, expected = search(task, memory, mode, 1).best, task.decode(memory, mode)
    assert torch.equal(found.tokens, expected.tokens)
    torch.testing.assert_close(found.attended, expected.attended, equal_nan=True)


@pytest.mark.parametrize("mode", MODES)
def test_the_result_is_as_likely_as_a_pass_with_its_symbols_says(
    task: SpeechRecognizer, mode: str
) -> None:
    """Step by step under the same attention: no hypothesis went on from another's state."""
    memory = task.encode(speech(*ALL))
    found = search(task, memory, mode, 8)
    for row in range(len(ALL)):
        length, capped = int(found.best.lengths[row]), bool(found.best.capped[row])
        outputs = found.best.tokens[row, : length + (not capped)]
        own = memory.select(torch.tensor([row]))
        state = task.decoder.start(own, mode)
        total, last = 0.0, torch.tensor([Vocabulary.SOS])
        for i, symbol in enumerate(outputs):
            logits, state, attended = task.decoder.step(last, own, state, mode)
            total += logits[0].double().log_softmax(-1)[symbol].item()
            mass = attended.weights.sum().item()
            assert found.best.attended[row, i].item() == pytest.approx(mass, abs=1e-5)
            last = symbol.unsqueeze(0)
        assert found.log_probabilities[row].item() == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_an_utterance_is_recognised_alone_as_in_a_batch(task: SpeechRecognizer, mode: str) -> None:
    together = search(task, task.encode(speech(*ALL)), mode, 8, 3.0)
    for row, name in enumerate(ALL):
        alone = search(task, task.encode(speech(name)), mode, 8, 3.0)
        outputs = alone.best.tokens.shape[1]
        assert torch.equal(alone.best.tokens[0], together.best.tokens[row, :outputs])
        torch.testing.assert_close(
            alone.log_probabilities[0], together.log_probabilities[row], rtol=0, atol=1e-4
        )


@pytest.mark.parametrize("mode", MODES)
def test_the_recogniser_searches_with_its_own_numbers(mode: str) -> None:
    task = tiny(MECHANISMS["mocha_w2"], beam_threshold=None).eval()
    memory = task.encode(speech(*ALL))
    found = search(task, memory, mode, 4)
    assert same(task.decode(memory, mode, 4), found.best)
    longest = [math.ceil(frames / 4) for frames, _ in UTTERANCES.values()]
    assert (found.best.lengths <= torch.tensor(longest)).all()
