"""Sound of any length to words: one utterance after the other, each by a stream of its own."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32
from numpy import ndarray

from mocha_lightning.data.features import SHIFT_MILLISECONDS, WINDOW_SECONDS
from mocha_lightning.errors import UserError
from mocha_lightning.recognizer.streaming_decoder import Output
from mocha_lightning.transcription.recognition import Recognition

SILENCE = 1e-3
"""What no sample is louder than (full scale is 1) is silence: -60 dB."""


@dataclass(frozen=True)
class Word:
    """A word that was recognised.

    Attributes:
        text: it.
        utterance: which one it is of, counted from 0.
        decided: audio that had been heard when it was known whole, in seconds.
        stopped: end of the window that the head stopped at for its last symbol, in seconds of the
            audio; None where the head had passed the audio's end.
    """

    text: str
    utterance: int
    decided: float
    stopped: float | None


class Listener:
    """Gives words as soon as they are decided.

    Recognisers are trained on utterances, and sound may hold several: where the end symbol comes
    before the sound is over, the next utterance begins right there. Sound is heard in blocks of
    one memory entry, so where that is does not depend on how the sound is cut.

    Two kinds of utterances are not worth a line, and give no words: one whose sound is silence
    throughout (:data:`SILENCE`; its words wait until something else is heard), and one after the
    first that the sound's end finds without a single stop of the head, which has heard nothing.

    Args:
        recognition: of a recogniser that can stream.
    """

    def __init__(self, recognition: Recognition) -> None:
        features = recognition.frontend.features
        self._recognition = recognition
        self._rate = features.sample_rate
        milliseconds = recognition.recognizer.encoder.frames_per_entry * SHIFT_MILLISECONDS
        self._block = round(self._rate * milliseconds / 1000)
        self._waiting = np.zeros(0, np.float32)
        self._heard = 0
        self._begun = 0
        self._utterance: _Utterance | None = None
        self.silent = True
        """Whether all that was heard is silence."""

    @property
    def seconds(self) -> float:
        """How much has been given to it."""
        return (self._heard + len(self._waiting)) / self._rate

    def accept(self, samples: Float32[ndarray, " samples"]) -> list[Word]:
        """The words that some more audio decides; samples in [-1, 1]."""
        waiting = np.concatenate([self._waiting, samples])
        words, done = [], 0
        while done + self._block <= len(waiting):
            words += self._hear(waiting[done : done + self._block])
            done += self._block
        self._waiting = waiting[done:].copy()
        return words

    def finish(self) -> list[Word]:
        """The words that were left, now that there is no more audio.

        Raises:
            UserError: all of it was shorter than one window.
        """
        words, self._waiting = self._hear(self._waiting), self._waiting[:0]
        if self._utterance is None:
            return words
        return words + self._utterance.finish(self._heard / self._rate)

    def stop(self) -> list[Word]:
        """What has been decided of a word that is not whole, if nothing more will be heard."""
        return [] if self._utterance is None else self._utterance.complete(self.seconds)

    def _hear(self, block: Float32[ndarray, " samples"]) -> list[Word]:
        if self._utterance is None and (len(block) or self._begun == 0):
            begin = self._heard / self._rate
            self._utterance = _Utterance(self._recognition, self._begun, begin)
            self._begun += 1
        self._heard += len(block)
        self.silent &= _is_silent(block)
        if self._utterance is None:
            return []
        words = self._utterance.accept(block, self._heard / self._rate)
        if self._utterance.ended:
            self._utterance = None
        return words


class _Utterance:
    """One utterance, and the words of it."""

    def __init__(self, recognition: Recognition, number: int, begin: float) -> None:
        self.number = number
        self.begin = begin
        self.vocabulary = recognition.frontend.vocabulary
        self.entry_seconds = (
            recognition.recognizer.encoder.frames_per_entry * SHIFT_MILLISECONDS / 1000
        )
        self.streamer = recognition.streamer()
        self.silent = True
        self.symbols: list[str] = []
        self.last: Output | None = None
        self.stopped = False
        self.held: list[Word] = []

    @property
    def ended(self) -> bool:
        return self.streamer.ended

    def accept(self, block: Float32[ndarray, " samples"], now: float) -> list[Word]:
        self.silent &= _is_silent(block)
        self._spell(self.streamer.accept(block), now)
        return self.complete(now) if self.ended else self._told()

    def finish(self, now: float) -> list[Word]:
        try:
            outputs = self.streamer.finish()
        except UserError:
            if self.number == 0:
                raise
            return []  # the rest after an utterance is too short to hold another
        self._spell(outputs, now)
        return self.complete(now) if self.stopped or self.number == 0 else []

    def complete(self, now: float) -> list[Word]:
        """With the word that is being spelled: there is no more to come."""
        self._hold(now)
        return self._told()

    def _spell(self, outputs: list[Output], now: float) -> None:
        for output in outputs:
            self.stopped |= output.entry is not None
            text = self.vocabulary.decode([output.symbol])
            if text == " ":
                self._hold(now)
            elif text:
                self.symbols.append(text)
                self.last = output

    def _hold(self, now: float) -> None:
        """Take what has been spelled for a word."""
        if self.last is not None:
            entry = self.last.entry
            stop = None if entry is None else self.begin + entry * self.entry_seconds
            stopped = None if stop is None else stop + WINDOW_SECONDS
            self.held.append(Word("".join(self.symbols), self.number, now, stopped))
            self.symbols, self.last = [], None

    def _told(self) -> list[Word]:
        """The words that are to be told now."""
        if self.silent:
            return []
        told, self.held = self.held, []
        return told


def _is_silent(block: Float32[ndarray, " samples"]) -> bool:
    return bool(np.abs(block).max(initial=0) <= SILENCE)
