"""Summarising a document that is still being read."""

from collections.abc import Iterable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention import Attended, ScanningAttention
from mocha_lightning.data import WordVocabulary
from mocha_lightning.errors import UserError
from mocha_lightning.recognizer.decoder import DecoderState
from mocha_lightning.recognizer.streaming_decoder import DecoderStream, Output
from mocha_lightning.summarizer.decoder import SummaryDecoder
from mocha_lightning.summarizer.module import Summarizer
from mocha_lightning.summarizer.search import Search


class SummaryWord(NamedTuple):
    """A word of a summary.

    Attributes:
        text: it.
        read: words of the document that had been read when it was decided.
        stopped: the document's word that the head stopped at, counted from 0; None where it had
            passed the document's end.
    """

    text: str
    read: int
    stopped: int | None


class SummaryStream:
    """Gives each word of a summary as soon as the monotonic head stops for it.

    The document's words are read one by one, however they come: the summary depends on the words
    alone, and is that of greedy search under hard attention over the whole document.

    Args:
        summarizer: in evaluation.

    Raises:
        UserError: it cannot say a word before it has read the whole document.
    """

    def __init__(self, summarizer: Summarizer) -> None:
        encoder, attention = summarizer.encoder, summarizer.decoder.attention
        why = None
        if not isinstance(attention, ScanningAttention):
            why = (
                f"{type(attention).__name__} has no monotonic head that says when a word has read "
                "enough"
            )
        elif encoder.lstm.bidirectional:
            why = "its encoder is bidirectional (task.unidirectional is false)"
        elif encoder.bridges is not None:
            why = "its decoder begins with the encoder's last state (task.initial_state)"
        if why is not None:
            raise UserError(
                f"{why}, so the first word of a summary may need the document's last: summarise "
                "whole files, without --stream"
            )
        self._encoder = encoder
        self._vocabulary = summarizer.vocabulary
        self._choice = _WrittenChoice(summarizer.decoder, summarizer.search)
        self._words = DecoderStream(summarizer.decoder, self._choice)
        self._unknown: dict[str, int] = {}
        self._lstm_state: tuple[Tensor, Tensor] | None = None
        self._read = 0

    @property
    def ended(self) -> bool:
        """Whether the summary is over: what is read after that does not matter."""
        return self._words.ended

    @torch.inference_mode()
    def accept(self, words: Iterable[str]) -> list[SummaryWord]:
        """The summary's words that some more of the document decides.

        Raises:
            NotANumberError: a score or an attention weight is NaN.
        """
        told: list[SummaryWord] = []
        for word in words:
            if self.ended:
                break
            (number,) = self._vocabulary.encode([word])
            extended = number
            if number == self._vocabulary.UNK:
                place = self._unknown.setdefault(word, len(self._unknown))
                extended = len(self._vocabulary) + place
            value, self._lstm_state = self._encoder.lstm(
                self._encoder.embedding(torch.tensor([[number]])), self._lstm_state
            )
            self._read += 1
            self._choice.sources.append(extended)
            told += self._told(self._words.accept(value[0]))
        return told

    def finish(self) -> list[SummaryWord]:
        """The words that were left, now that the document has been read."""
        return self._told(self._words.finish())

    def _told(self, outputs: list[Output]) -> list[SummaryWord]:
        unknown = tuple(self._unknown)
        return [
            SummaryWord(text, self._read, output.entry)
            for output in outputs
            for text in self._vocabulary.decode([output.symbol], unknown)
        ]


class _WrittenChoice:
    """Words of the document or of the vocabulary, by the mixture of both.

    Args:
        decoder: in evaluation.
        search: how long a summary may be.
    """

    start, end = WordVocabulary.SOS, WordVocabulary.EOS

    def __init__(self, decoder: SummaryDecoder, search: Search) -> None:
        self.sources: list[int] = []
        """The document's words so far, as the extended vocabulary numbers them."""
        self._decoder = decoder
        self._search = search
        self._given = 0

    def cap(self, arrived: int) -> int:
        """That of all summaries, however much has been read."""
        return self._search.most

    def scores(
        self, last: Int[Tensor, " 1"], state: DecoderState, attended: Attended, dropped: int
    ) -> tuple[Float[Tensor, "1 symbols"], DecoderState]:
        """Log P of every word of the extended vocabulary, the end's -inf where it is too early."""
        embedded = self._decoder.embed(last)
        reads, state = self._decoder.update(embedded, state, attended)
        kept = torch.tensor([self.sources[dropped:]])
        size = max(self._decoder.vocabulary_size, max(self.sources) + 1)
        scores = self._decoder.mix(reads, embedded, attended, kept, size)
        if self._given < self._search.least:
            scores[:, self.end] = -torch.inf
        self._given += 1
        return scores, state
