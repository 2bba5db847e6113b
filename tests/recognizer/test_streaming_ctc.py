"""Greedy CTC over a growing memory: the symbols of the whole, each at the entry that spells it."""

import pytest
import torch
from data.test_streaming_features import audio, in_pieces, statistics
from torch import Tensor

from mocha_lightning.data import LogMel, SpeechSpec, Vocabulary
from mocha_lightning.decoding.ctc import ctc_greedy
from mocha_lightning.errors import NotANumberError
from mocha_lightning.recognizer import CtcRecognizer
from mocha_lightning.recognizer.ctc_layer import BLANK
from mocha_lightning.recognizer.streaming import Streamer
from mocha_lightning.recognizer.streaming_ctc import CtcStream
from mocha_lightning.recognizer.streaming_decoder import Output
from mocha_lightning.recognizer.streaming_encoder import EncoderStream

from .setting import SPEC, TINY_ENCODER, features_of, tiny_ctc
from .test_streaming_encoder import random_cuts

FEATURES = LogMel(8000, 8)


def lively(task: CtcRecognizer, memory: Tensor) -> CtcRecognizer:
    """With a likeliest output that changes from entry to entry of such a memory."""
    layer = task.ctc.output
    with torch.no_grad():
        layer.weight.mul_(30)
        layer.bias.sub_(layer(memory).median(0).values)
        # Two whose median is of one entry would be equal there, and rounding would choose.
        layer.bias.add_(torch.linspace(0, 1e-4, len(layer.bias)))
    return task.eval()


def memory_of(task: CtcRecognizer, features: Tensor) -> Tensor:
    with torch.no_grad():
        return task.eval().encoder(features[None], torch.tensor([len(features)]))[0][0]


def offline(task: CtcRecognizer, values: Tensor) -> list[Output]:
    """Symbols of greedy search over the whole, and the first entry of each one's run."""
    with torch.no_grad():
        log_probs = task.ctc(values[None])
    found = ctc_greedy(log_probs, torch.tensor([len(values)]), BLANK)
    path = log_probs[0].argmax(-1).tolist()
    starts = [t for t, best in enumerate(path) if best != BLANK and path[t - 1 : t] != [best]]
    symbols = [output + Vocabulary.EOS for output in found.tokens[0].tolist()]
    return [Output(*each) for each in zip(symbols, starts, strict=True)]


def streamed(task: CtcRecognizer, values: Tensor, cuts: list[int]) -> list[Output]:
    stream = task.stream()
    outputs = []
    for piece in torch.tensor_split(values, cuts):
        outputs += stream.accept(piece)
        assert not stream.ended
    return outputs + stream.finish()


@pytest.mark.parametrize("seed", range(4))
def test_symbols_are_those_of_the_whole_however_the_memory_is_cut(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(60, TINY_ENCODER["hidden_dim"], generator=generator)
    # Entries that are alike spell a symbol once.
    values = values.repeat_interleave(torch.randint(1, 4, (60,), generator=generator), 0)[:60]
    task = lively(tiny_ctc(seed), values)
    expected = offline(task, values)
    assert 5 < len(expected) < 60
    for cuts in ([], list(range(60)), random_cuts(60, seed)):
        assert streamed(task, values, cuts) == expected


@pytest.mark.parametrize("causal", [False, True])
def test_symbols_are_those_of_the_whole_however_the_features_are_cut(causal: bool) -> None:
    lengths = []
    for seed in range(3):
        task, features = tiny_ctc(seed, causal=causal), features_of(150, seed)
        memory = memory_of(task, features)
        expected = offline(lively(task, memory), memory)
        lengths.append(len(expected))
        for cuts in ([], list(range(150)), random_cuts(150, seed)):
            encoder, stream, outputs = EncoderStream(task.encoder), task.stream(), []
            for piece in torch.tensor_split(features, cuts):
                outputs += stream.accept(encoder.accept(piece))
            assert outputs + stream.accept(encoder.finish()) + stream.finish() == expected
    assert max(lengths) > 5


def test_audio_goes_in_and_symbols_come_out_before_its_end() -> None:
    spec = SpeechSpec(SPEC.vocabulary, FEATURES.channels, FEATURES.mel_bins)
    torch.manual_seed(0)
    task, samples, found = CtcRecognizer(spec, **TINY_ENCODER), audio(16_000), []
    frames = statistics(FEATURES).apply(FEATURES.extract(samples, 8000))
    lively(task, memory_of(task, torch.from_numpy(frames).float()))
    for longest in (100, 3000, 100_000):
        streamer = Streamer(task, FEATURES, statistics(FEATURES))
        pieces = in_pieces(samples, longest)
        before = [output for piece in pieces for output in streamer.accept(piece)]
        assert len(before) > 5
        assert not streamer.ended
        found.append(before + streamer.finish())
    assert found[0] == found[1] == found[2]


def test_a_symbol_comes_with_its_entry_and_no_later() -> None:
    """A stream of the scores themselves: blank, a, a, b, blank, b."""
    layer = tiny_ctc().eval().ctc
    with torch.no_grad():
        layer.output.bias.zero_()
        layer.output.weight.zero_()
        for output in range(layer.output.out_features):
            layer.output.weight[output, output] = 1
    path = [BLANK, 2, 2, 3, BLANK, 3]
    values = torch.nn.functional.one_hot(torch.tensor(path), TINY_ENCODER["hidden_dim"]).float()
    stream = CtcStream(layer)
    a, b = SPEC.vocabulary.encode("ab")
    expected = [[], [Output(a, 1)], [], [Output(b, 3)], [], [Output(b, 5)]]
    assert [stream.accept(entry[None]) for entry in values] == expected


def test_nan_is_refused() -> None:
    with pytest.raises(NotANumberError, match="scores that are NaN"):
        tiny_ctc().eval().stream().accept(torch.full((1, TINY_ENCODER["hidden_dim"]), torch.nan))
