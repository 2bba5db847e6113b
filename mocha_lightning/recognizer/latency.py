"""How far ahead a recogniser listens, and how long after a word's end its symbols come."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import jiwer
import numpy as np
import torch
from jaxtyping import Float64, Int
from numpy import ndarray
from torch import Tensor

from mocha_lightning.data.features import SHIFT_MILLISECONDS, WINDOW_SECONDS, LogMel
from mocha_lightning.recognizer.encoder import Encoder

LATENCIES = {
    "latency_mean": "mean of ms from a word's end to each symbol",
    "latency_median": "median of ms from a word's end to each symbol",
    "latency_p90": "90th percentile of ms from a word's end to each symbol",
    "word_latency_median": "median of ms from a word's end to its last symbol",
    "shown_latency_median": "median of ms from a word's end to what tells that the word is whole",
    "shown_latency_p90": "90th percentile of ms from a word's end to what tells that it is whole",
}
"""Names of the scores, and what each is. The space or end symbol after a word tells that it is
whole: only then can it be shown, as no symbol of it will follow."""


def latency_signatures(decoding: str) -> dict[str, str]:
    """By score: how it is measured.

    Args:
        decoding: how the symbols are found.
    """
    measured = f"audio heard, not time to compute|correct words, by jiwer|{decoding}"
    return {name: f"{meaning}|{measured}" for name, meaning in LATENCIES.items()}


def lookahead_milliseconds(encoder: Encoder, features: LogMel) -> int:
    """Audio after its own frame's window that a memory entry depends on, in milliseconds.

    An encoder with symmetric padding: 70, and 40 more for features with differences; a causal one:
    the 40 alone. How long an output waits for the attention to stop comes on top.
    """
    return SHIFT_MILLISECONDS * (encoder.lookahead + features.lookahead)


class Pacing(NamedTuple):
    """What decides how much audio a stream must hear for an output.

    Attributes:
        frames_per_entry: from one memory entry to the next.
        lookahead: frames after its own that an entry depends on.
        outputs_per_entry: the cap on the symbols, for which a stream waits too.
    """

    frames_per_entry: int
    lookahead: int
    outputs_per_entry: float

    def heard(self, entry: int) -> float:
        """Seconds of audio that a memory entry depends on, counted from the utterance's start."""
        frame = entry * self.frames_per_entry + self.lookahead
        return frame * SHIFT_MILLISECONDS / 1000 + WINDOW_SECONDS

    def emitted(
        self, stops: Int[Tensor, " outputs"], entries: int, seconds: float
    ) -> Float64[ndarray, " outputs"]:
        """Seconds of audio that a stream has heard when it gives each output.

        That of a head which has passed the memory's end comes at the utterance's end.

        Args:
            stops: t_i; the memory's length past its end.
            entries: the memory's length.
            seconds: length of the utterance.
        """
        allowed = (torch.arange(1, entries + 1) * self.outputs_per_entry).ceil()
        first_allowed = torch.searchsorted(allowed, torch.arange(1, len(stops) + 1).to(allowed))
        # No output overtakes the one before it.
        needed = torch.maximum(stops.cpu(), first_allowed).cummax(0).values
        return np.array(
            [min(seconds, self.heard(entry)) if entry < entries else seconds for entry in needed]
        )


class Emission(NamedTuple):
    """When a stream gave the symbols of an utterance.

    Attributes:
        symbols: what was recognised.
        heard: the audio heard by then, in seconds.
        ended: that heard when it was known that no symbol follows, in seconds.
    """

    symbols: Sequence[str]
    heard: Float64[ndarray, " symbols"]
    ended: float


def emission(
    symbols: Sequence[str],
    stops: Int[Tensor, " outputs"] | None,
    entries: int,
    seconds: float,
    pacing: Pacing,
) -> Emission:
    """When a stream gives the symbols of an utterance.

    Args:
        symbols: what was recognised.
        stops: t_i of each, and of the end symbol if it came before the cap; None where the
            mechanism needs the whole utterance for its first symbol.
        entries: the memory's length.
        seconds: length of the utterance.
        pacing: of the recogniser.
    """
    if stops is None:
        return Emission(symbols, np.full(len(symbols), seconds), seconds)
    heard = pacing.emitted(stops, entries, seconds)
    ended = float(heard[-1]) if len(heard) > len(symbols) else seconds
    return Emission(symbols, heard[: len(symbols)], ended)


class Latencies:
    """How long after a word's end its symbols come, over a split.

    Counted are the words that are recognised correctly, and of the time the audio alone: that a
    computer needs time too is left out.
    """

    def __init__(self) -> None:
        self._symbols: list[float] = []
        self._last_symbols: list[float] = []
        self._shown: list[float] = []
        self._counted = False

    def __iadd__(self, other: Self) -> Self:
        """Count what another has counted, as if it had come after all of this."""
        self._symbols += other._symbols
        self._last_symbols += other._last_symbols
        self._shown += other._shown
        self._counted |= other._counted
        return self

    def add(self, reference: str, word_ends: Sequence[float], emitted: Emission) -> None:
        """Count an utterance.

        Args:
            reference: its true transcript.
            word_ends: of the transcript's words, in seconds.
            emitted: what was recognised, and when.
        """
        self._counted = True
        words = _words(emitted.symbols)
        texts = ["".join(emitted.symbols[place] for place in word.symbols) for word in words]
        times = np.append(emitted.heard, emitted.ended)
        for chunk in jiwer.process_words(reference, " ".join(texts)).alignments[0]:
            if chunk.type != "equal":
                continue
            for here, there in zip(
                range(chunk.ref_start_idx, chunk.ref_end_idx),
                range(chunk.hyp_start_idx, chunk.hyp_end_idx),
                strict=True,
            ):
                word = words[there]
                late = 1000 * (times[[*word.symbols, word.known]] - word_ends[here])
                self._symbols += late[:-1].tolist()
                self._last_symbols.append(late[-2].item())
                self._shown.append(late[-1].item())

    def scores(self) -> dict[str, float]:
        """The scores by name, in milliseconds.

        None where no utterance's word ends are known; NaN where no word was correct.
        """
        if not self._counted:
            return {}
        late, last, shown = (
            each or [np.nan] for each in (self._symbols, self._last_symbols, self._shown)
        )
        figures = (
            np.mean(late),
            np.median(late),
            np.percentile(late, 90),
            np.median(last),
            np.median(shown),
            np.percentile(shown, 90),
        )
        return dict(zip(LATENCIES, map(float, figures), strict=True))


class _Word(NamedTuple):
    """Places of a word's symbols, and of the space after it; else how many symbols there are."""

    symbols: list[int]
    known: int


def _words(symbols: Sequence[str]) -> list[_Word]:
    ends = [*(place for place, symbol in enumerate(symbols) if symbol == " "), len(symbols)]
    words = [
        _Word([place for place in range(begin, end) if symbols[place]], end)
        for begin, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)
    ]
    return [word for word in words if word.symbols]
