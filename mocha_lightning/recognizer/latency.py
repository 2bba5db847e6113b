"""How far ahead a recogniser listens, and how long after a word's end its symbols come."""

from collections.abc import Sequence
from typing import NamedTuple

import jiwer
import numpy as np
import torch
from jaxtyping import Float64, Int
from numpy import ndarray
from torch import Tensor

from mocha_lightning.data import SpeechBatch, Vocabulary
from mocha_lightning.data.features import SHIFT_MILLISECONDS, WINDOW_SECONDS, LogMel
from mocha_lightning.decoding import Decoded
from mocha_lightning.recognizer.encoder import Encoder

_MEASURED = "audio heard, not time to compute|correct words, by jiwer|attention:hard|search:greedy"
LATENCIES = {
    "latency_mean": f"mean of ms from a word's end to each symbol|{_MEASURED}",
    "latency_median": f"median of ms from a word's end to each symbol|{_MEASURED}",
    "latency_p90": f"90th percentile of ms from a word's end to each symbol|{_MEASURED}",
    "word_latency_median": f"median of ms from a word's end to its last symbol|{_MEASURED}",
}
"""Names of the scores, and what each is."""


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


class Latencies:
    """How long after a word's end its symbols come, over a split.

    Counted are the words that are recognised correctly, and of the time the audio alone: that a
    computer needs time too is left out.
    """

    def __init__(self) -> None:
        self._symbols: list[float] = []
        self._last_symbols: list[float] = []
        self._counted = False

    def add(
        self,
        batch: SpeechBatch,
        decoded: Decoded,
        entries: Int[Tensor, " batch"],
        pacing: Pacing,
        vocabulary: Vocabulary,
    ) -> None:
        """Count a batch, if it is known where its words end.

        Args:
            batch: the utterances.
            decoded: by greedy search under hard attention. Where it tells no stops, the mechanism
                needs the whole utterance for its first symbol.
            entries: of each utterance's memory.
            pacing: of the recogniser.
            vocabulary: of its outputs.
        """
        for row, word_ends in enumerate(batch.word_ends):
            length, seconds = int(decoded.lengths[row]), batch.seconds[row]
            symbols = [vocabulary.decode([token]) for token in decoded.tokens[row, :length]]
            if decoded.stops is None:
                emitted = np.full(length, seconds)
            else:
                stops = decoded.stops[row, :length]
                emitted = pacing.emitted(stops, int(entries[row]), seconds)
            self.add_utterance(batch.texts[row], word_ends, symbols, emitted)

    def add_utterance(
        self,
        reference: str,
        word_ends: Sequence[float],
        symbols: Sequence[str],
        emitted: Float64[ndarray, " outputs"],
    ) -> None:
        """Count an utterance.

        Args:
            reference: its true transcript.
            word_ends: of the transcript's words, in seconds.
            symbols: what was recognised.
            emitted: the audio heard by then, in seconds.
        """
        self._counted = True
        words = _words(symbols)
        texts = ["".join(symbols[place] for place in places) for places in words]
        for chunk in jiwer.process_words(reference, " ".join(texts)).alignments[0]:
            if chunk.type != "equal":
                continue
            for here, there in zip(
                range(chunk.ref_start_idx, chunk.ref_end_idx),
                range(chunk.hyp_start_idx, chunk.hyp_end_idx),
                strict=True,
            ):
                late = 1000 * (emitted[words[there]] - word_ends[here])
                self._symbols += late.tolist()
                self._last_symbols.append(late[-1].item())

    def scores(self) -> dict[str, float]:
        """The scores by name, in milliseconds.

        None where no utterance's word ends are known; NaN where no word was correct.
        """
        if not self._counted:
            return {}
        late, last = (each or [np.nan] for each in (self._symbols, self._last_symbols))
        figures = (np.mean(late), np.median(late), np.percentile(late, 90), np.median(last))
        return dict(zip(LATENCIES, map(float, figures), strict=True))


def _words(symbols: Sequence[str]) -> list[list[int]]:
    """The places of each word's symbols; a space is none."""
    words: list[list[int]] = [[]]
    for place, symbol in enumerate(symbols):
        if symbol == " ":
            words.append([])
        elif symbol:
            words[-1].append(place)
    return [word for word in words if word]
