"""How long a recogniser takes over audio that arrives in pieces of 40 ms, on one thread.

Of the paper's size, with drawn weights, on noise. Its symbols mean nothing, but cost what symbols
cost: the end symbol is kept from coming, and the head is set to stop readily, so that there are
about as many symbols as the cap allows (one for each 40 ms; speech has half as many). A real-time
factor of 1 would just keep up. The last column says for how many utterances the symbols and stops
were the same when the audio was cut at random. Medians, in one process, each mechanism in turn.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

import numpy as np
import torch
from harness import Options, compute_as_runs_do, median_milliseconds, print_table, significant
from jaxtyping import Float32
from numpy import ndarray
from torch import nn

from mocha_lightning.attention import (
    MTA,
    AdaptiveMoChA,
    MAtChA,
    MILk,
    MoChA,
    MonotonicAttention,
    ScanningAttention,
)
from mocha_lightning.data import LogMel, SpeechSpec, Vocabulary
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.recognizer.streaming import Streamer
from mocha_lightning.recognizer.streaming_decoder import Output

SECONDS = 10
UTTERANCES = 3
REPETITIONS = 3
PIECE = 640
"""Samples of 40 ms, one memory entry."""

FEATURES = LogMel()
MECHANISMS: dict[str, Callable[[int, int, int], ScanningAttention]] = {
    "monotonic": partial(MonotonicAttention, offset=0.0),
    "mocha_w2": partial(MoChA, chunk_size=2, offset=0.0),
    "mocha_w8": partial(MoChA, chunk_size=8, offset=0.0),
    "adaptive_mocha": partial(AdaptiveMoChA, offset=0.0),
    "matcha": partial(MAtChA, offset=0.0),
    "milk": partial(MILk, offset=0.0),
    "mta": partial(MTA, offset=0.0),
}
"""What is timed, by the name in the table."""


class Streaming:
    """A recogniser that hears an utterance.

    Args:
        mechanism: builds its attention.
        size: arguments of the recogniser that are not the paper's.
    """

    def __init__(
        self, mechanism: Callable[[int, int, int], ScanningAttention], **size: int
    ) -> None:
        torch.manual_seed(0)
        spec = SpeechSpec(Vocabulary(), FEATURES.channels, FEATURES.mel_bins)
        self.recognizer = SpeechRecognizer(spec, mechanism, **size).eval()
        with torch.no_grad():
            cast(nn.Linear, self.recognizer.decoder.output).bias[Vocabulary.EOS] = -100
        frames = FEATURES.extract(noise(SECONDS, 0), FEATURES.sample_rate).astype(np.float64)
        self.normalization = Normalization(frames.mean(0), frames.std(0))
        self.slowest = 0.0

    def __call__(self, pieces: list[Float32[ndarray, " samples"]]) -> list[Output]:
        """The symbols; ``slowest`` is then the longest that a piece took so far, in ms."""
        streamer = Streamer(self.recognizer, FEATURES, self.normalization)
        outputs: list[Output] = []
        for piece in pieces:
            begun = time.perf_counter()
            outputs += streamer.accept(piece)
            self.slowest = max(self.slowest, 1e3 * (time.perf_counter() - begun))
        return outputs + streamer.finish()


def noise(seconds: int, seed: int) -> Float32[ndarray, " samples"]:
    """Noise whose level changes all the time."""
    generator = np.random.default_rng(seed)
    samples = generator.standard_normal(seconds * FEATURES.sample_rate)
    level = 10 ** generator.uniform(-3, -1, seconds * 20).repeat(FEATURES.sample_rate // 20)
    return np.asarray(level * samples, np.float32)


def at_random(samples: Float32[ndarray, " samples"], seed: int) -> list[ndarray]:
    """Cut into as many pieces, of any lengths."""
    cuts = np.random.default_rng(seed).integers(0, len(samples), len(samples) // PIECE)
    return np.split(samples, np.sort(cuts))


def rows(seconds: int, utterances: int, repetitions: int, **size: int) -> Iterator[dict[str, str]]:
    """One row for each mechanism."""
    streams = {name: Streaming(build, **size) for name, build in MECHANISMS.items()}
    heard = noise(seconds, 0)
    even = np.split(heard, range(PIECE, len(heard), PIECE))
    times = median_milliseconds(
        {name: partial(stream, even) for name, stream in streams.items()}, repetitions
    )
    slowest = {name: stream.slowest for name, stream in streams.items()}
    for name, stream in streams.items():
        same = 0
        for seed in range(utterances):
            samples = noise(seconds, seed)
            same += stream([samples]) == stream(at_random(samples, seed))
        yield {
            "mechanism": name,
            "real-time factor": significant(times[name] / 1e3 / seconds),
            "slowest 40 ms, in ms": significant(slowest[name]),
            "symbols a second": significant(len(stream(even)) / seconds),
            "same however cut": f"{same} of {utterances}",
        }


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_number("--seconds", SECONDS, "of audio in an utterance")
    options.whole_number("--utterances", UTTERANCES, "that are cut at random")
    options.whole_number("--filters", 32, "of the convolutions")
    options.whole_number("--dim", 256, "of the encoder's and the decoder's states")
    given = options.parse_args(arguments)
    compute_as_runs_do()
    size = {"filters": given.filters, "hidden_dim": given.dim, "decoder_dim": given.dim}
    print_table(
        f"Streaming recognition of {given.seconds} s of audio",
        rows(given.seconds, given.utterances, given.repetitions, **size),
    )


if __name__ == "__main__":
    main()
