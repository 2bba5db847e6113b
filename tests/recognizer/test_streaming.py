"""Audio in pieces to symbols: nothing depends on the pieces."""

import numpy as np
import pytest
import torch
from attention.setting import HEADED
from data.test_streaming_features import audio, in_pieces, statistics

from mocha_lightning.attention import MoChA
from mocha_lightning.data import LogMel, SpeechSpec, Vocabulary
from mocha_lightning.errors import UserError
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.recognizer.streaming import Streamer
from mocha_lightning.recognizer.streaming_decoder import Output
from mocha_lightning.recognizer.streaming_encoder import EncoderStream

from .setting import TINY
from .test_streaming_decoder import offline, prepared

FEATURES = LogMel(8000, 8)


def recognizer(attention, seed: int = 0, **arguments) -> SpeechRecognizer:
    torch.manual_seed(seed)
    spec = SpeechSpec(Vocabulary((" ", "a", "b", "c")), FEATURES.channels, FEATURES.mel_bins)
    return prepared(SpeechRecognizer(spec, attention, **{**TINY, **arguments}))


def streamed(task: SpeechRecognizer, pieces: list[np.ndarray]) -> list[Output]:
    streamer = Streamer(task, FEATURES, statistics(FEATURES))
    outputs = [output for piece in pieces for output in streamer.accept(piece)]
    return outputs + streamer.finish()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", HEADED)
def test_symbols_are_those_of_the_whole_however_the_audio_is_cut(name: str, causal: bool) -> None:
    lengths = []
    for seed in range(2):
        task, samples = recognizer(HEADED[name], seed, causal=causal), audio(16_000 + seed)
        frames = statistics(FEATURES).apply(FEATURES.extract(samples, 8000))
        stream = EncoderStream(task.encoder)
        memory = [stream.accept(torch.from_numpy(frames).float()), stream.finish()]
        expected, _ = offline(task, torch.cat(memory))
        lengths.append(len(expected))
        for longest in (100, 3000, 100_000):
            assert streamed(task, in_pieces(samples, longest, seed)) == expected
    assert max(lengths) > 5


def test_symbols_come_before_the_audio_ends() -> None:
    task = recognizer(HEADED["mocha_w2"])
    streamer = Streamer(task, FEATURES, statistics(FEATURES))
    assert len(streamer.accept(audio(16_000))) > 0


def test_a_recogniser_in_training_is_refused() -> None:
    with pytest.raises(ValueError, match="in training"):
        Streamer(recognizer(MoChA).train(), FEATURES, statistics(FEATURES))


def test_audio_shorter_than_a_window_is_refused() -> None:
    with pytest.raises(UserError, match="shorter than one window"):
        streamed(recognizer(MoChA), [audio(100)])
