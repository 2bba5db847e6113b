"""How far ahead a recogniser listens, and how late its symbols come, in milliseconds."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from attention.setting import HEADED, MECHANISMS
from data.test_streaming_features import audio, statistics
from fitting import scores

from mocha_lightning.data import LogMel, SpeechBatch
from mocha_lightning.decoding.ctc import ctc_greedy
from mocha_lightning.recognizer import CtcRecognizer, SpeechRecognizer
from mocha_lightning.recognizer.ctc_layer import BLANK
from mocha_lightning.recognizer.encoder import Encoder
from mocha_lightning.recognizer.latency import (
    LATENCIES,
    Emission,
    Latencies,
    Pacing,
    emission,
    lookahead_milliseconds,
)
from mocha_lightning.recognizer.streaming import Streamer

from .setting import SPEC, TINY, TINY_ENCODER, UTTERANCES, speech, tiny, tiny_ctc
from .test_streaming_ctc import lively
from .test_streaming_decoder import prepared

FEATURES = LogMel(8000, 8)


@pytest.mark.parametrize(
    ("causal", "deltas", "milliseconds"),
    [(False, True, 110), (False, False, 70), (True, True, 40), (True, False, 0)],
)
def test_it_is_the_convolutions_and_the_differences(
    causal: bool, deltas: bool, milliseconds: int
) -> None:
    features = LogMel(deltas=deltas)
    encoder = Encoder(features.channels, 80, 2, 2, 1, causal=causal)
    assert lookahead_milliseconds(encoder, features) == milliseconds
    assert encoder.frames_per_entry == 4


def recogniser(name: str, seed: int, **arguments) -> SpeechRecognizer:
    torch.manual_seed(seed)
    spec = replace(SPEC, lookahead=FEATURES.lookahead)
    return prepared(SpeechRecognizer(spec, MECHANISMS[name], **{**TINY, **arguments}))


@pytest.mark.parametrize("cap", [1.0, 0.4])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", HEADED)
def test_a_stream_gives_each_symbol_when_the_offline_stops_say(
    name: str, causal: bool, cap: float
) -> None:
    """The audio comes in pieces of 5 ms, and each is on the grid of the frames."""
    compared = 0
    for seed in range(3):
        task = recogniser(name, seed, causal=causal, outputs_per_entry=cap)
        samples = audio(12_000)
        streamer, heard, given = Streamer(task, FEATURES, statistics(FEATURES)), [], []
        for end in range(40, len(samples) + 1, 40):
            fresh = streamer.accept(samples[end - 40 : end])
            given += fresh
            heard += [end / 8000] * len(fresh)
        fresh = streamer.finish()
        given += fresh
        heard += [1.5] * len(fresh)

        frames = statistics(FEATURES).apply(FEATURES.extract(samples, 8000))
        features = torch.from_numpy(frames).float()[None]
        with torch.no_grad():
            memory = task.decoder.prepare(*task.encoder(features, torch.tensor([len(frames)])))
            decoded = task.decode(memory, "hard")
        assert decoded.tokens[0, : decoded.lengths[0]].tolist() == [each.symbol for each in given]
        stops = decoded.stops[0, : decoded.lengths[0]]
        entries = memory.lengths.item()
        assert [stop if stop < entries else None for stop in stops.tolist()] == [
            each.entry for each in given
        ]
        emitted = task.pacing.emitted(stops, entries, 1.5)
        assert emitted.tolist() == pytest.approx(heard)
        compared += len(given)
    assert compared > 10


@pytest.mark.parametrize("causal", [False, True])
def test_a_stream_of_ctc_gives_each_symbol_when_the_path_says(causal: bool) -> None:
    compared = 0
    for seed in range(3):
        torch.manual_seed(seed)
        spec = replace(SPEC, lookahead=FEATURES.lookahead)
        task = CtcRecognizer(spec, **TINY_ENCODER, causal=causal).eval()
        samples = audio(12_000)
        frames = statistics(FEATURES).apply(FEATURES.extract(samples, 8000))
        features = torch.from_numpy(frames).float()[None]
        with torch.no_grad():
            memory, _ = task.encoder(features, torch.tensor([len(frames)]))
            lively(task, memory[0])
            found = ctc_greedy(task.ctc(memory), torch.tensor([memory.shape[1]]), BLANK)

        streamer, heard = Streamer(task, FEATURES, statistics(FEATURES)), []
        for end in range(40, len(samples) + 1, 40):
            heard += [end / 8000] * len(streamer.accept(samples[end - 40 : end]))
        heard += [1.5] * len(streamer.finish())

        emitted = task.pacing.emitted(found.entries[0], memory.shape[1], 1.5)
        assert emitted.tolist() == pytest.approx(heard)
        compared += len(heard)
    assert compared > 10


def test_what_a_word_s_symbols_wait_is_counted_from_its_end() -> None:
    """Of words that are right alone: of the three here the middle one is wrong."""
    latencies = Latencies()
    symbols = list("ab ca b")
    emitted = np.array([0.3, 0.5, 0.6, 0.8, 0.9, 0.9, 1.4])
    latencies.add("ab cc b", (0.4, 0.7, 1.1), Emission(symbols, emitted, 1.6))
    latencies.add("c", (0.2,), Emission([], np.zeros(0), 0.5))
    late = [-100, 100, 300]
    assert latencies.scores() == pytest.approx(
        {
            "latency_mean": 100,
            "latency_median": 100,
            "latency_p90": np.percentile(late, 90),
            "word_latency_median": 200,
            "shown_latency_median": np.median([200, 500]),
            "shown_latency_p90": np.percentile([200, 500], 90),
        }
    )


def test_words_are_those_that_the_word_error_rate_aligns() -> None:
    """A word that was left out shifts those after it."""
    latencies = Latencies()
    latencies.add("a b c", (1, 2, 3), Emission(list("b c"), np.array([2.5, 2.5, 3.25]), 4.0))
    assert latencies.scores()["word_latency_median"] == pytest.approx((500 + 250) / 2)


def test_a_word_is_shown_at_the_space_or_end_after_it_whatever_says_nothing_before_that() -> None:
    latencies = Latencies()
    said = Emission(["a", "", " ", "b", ""], np.array([0.1, 0.2, 0.3, 0.4, 0.5]), 0.9)
    latencies.add("a b", (0.0, 0.0), said)
    assert latencies.scores()["shown_latency_median"] == pytest.approx(600)
    assert latencies.scores()["word_latency_median"] == pytest.approx(250)


def test_the_last_word_is_known_whole_by_the_end_symbol_or_else_by_the_sound_s_end() -> None:
    pacing, stops = Pacing(4, 11, 1.0), torch.tensor([2, 3])
    ended = emission(["a"], stops, 20, 5.0, pacing)
    assert (ended.heard.tolist(), ended.ended) == (pytest.approx([0.215]), pytest.approx(0.255))
    capped = emission(["a", "b"], stops, 20, 5.0, pacing)
    assert (capped.heard.tolist(), capped.ended) == (pytest.approx([0.215, 0.255]), 5.0)


def test_no_word_right_is_no_number_and_no_word_end_known_no_score() -> None:
    latencies = Latencies()
    assert latencies.scores() == {}
    latencies.add("a", (1.0,), Emission(["b"], np.ones(1), 1.0))
    assert list(latencies.scores()) == list(LATENCIES)
    assert all(math.isnan(value) for value in latencies.scores().values())


def test_no_output_overtakes_another_or_the_utterance() -> None:
    pacing = Pacing(4, 11, 1.0)
    stops = torch.tensor([2, 7, 3, 9])
    expected = [(4 * entry + 11) * 0.01 + 0.025 for entry in (2, 7, 7)] + [0.5]
    assert pacing.emitted(stops, 9, 0.5).tolist() == pytest.approx(expected)
    assert pacing.emitted(stops, 20, 0.4).tolist() == pytest.approx([0.215, 0.4, 0.4, 0.4])


def timed(batch: SpeechBatch) -> SpeechBatch:
    """With word ends at 50 ms for each word."""
    seconds = tuple(UTTERANCES[name][0] / 100 for name in batch.utterances)
    ends = tuple(tuple(0.05 * n for n in range(1, 1 + len(t.split()))) for t in batch.texts)
    return batch._replace(seconds=seconds, word_ends=ends)


@pytest.mark.parametrize("split", ["val", "test"])
@pytest.mark.parametrize("name", ["soft", "mocha_w2", "ctc"])
def test_a_corpus_that_knows_its_words_ends_has_the_scores(name: str, split: str) -> None:
    task = tiny_ctc() if name == "ctc" else tiny(MECHANISMS[name])
    batch = timed(speech(*UTTERANCES))
    found = scores(task, batch, split=split)
    assert {f"{split}/{score}" for score in LATENCIES} <= set(found)
    assert set(LATENCIES) <= set(task.metric_signatures(split))
    assert not any("latency" in score for score in scores(task, speech(*UTTERANCES), split=split))


def test_without_a_head_every_symbol_waits_for_the_whole_utterance() -> None:
    task = tiny(MECHANISMS["soft"]).eval()
    with torch.no_grad():  # it says "b" and then ends
        task.decoder.output.weight.zero_()
        task.decoder.output.bias.zero_()
        task.decoder.output.bias[5] = 5
    task.pacing = None  # which such a mechanism has no use for
    task.outputs_per_entry = 1e-3
    found = scores(task, timed(speech("two")))
    assert found["val/latency_median"] == pytest.approx(1000 * (0.2 - 0.05))
