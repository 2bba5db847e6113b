"""Searching for a summary: the shared beam over the extended vocabulary."""

from typing import NamedTuple

import torch
from torch import Tensor

from mocha_lightning.data import WordVocabulary
from mocha_lightning.decoding import Decoded, beam
from mocha_lightning.recognizer.decoder import DecoderState, Mode
from mocha_lightning.summarizer.decoder import Read, SummaryDecoder


class Search(NamedTuple):
    """How summaries are searched for.

    Attributes:
        threshold: nats by which a hypothesis may be less likely than the best one; None is no
            such limit.
        length_normalization: alpha of the score log P / n^alpha.
        most: the cap, in words.
        least: words before which no summary ends.
    """

    threshold: float | None
    length_normalization: float
    most: int
    least: int

    def signature(self, width: int) -> str:
        """How hypotheses are found with a beam of some width."""
        lengths = f"most:{self.most}" + (f"|least:{self.least}" if self.least else "")
        if width == 1:
            return f"search:greedy|{lengths}"
        limit = "none" if self.threshold is None else f"{self.threshold:g}"
        search = f"search:beam-{width}|threshold:{limit}|{lengths}"
        if self.length_normalization > 0:
            search += f"|length-normalization:{self.length_normalization:g}"
        return search

    def __call__(self, decoder: SummaryDecoder, read: Read, mode: Mode, width: int) -> Decoded:
        """A beam of some width under hard or expected attention; a width of 1 is greedy search.

        Words are numbers of the extended vocabulary. What is compared sums to 1 over the words
        that may come, even where the lost mass is lost.

        Raises:
            NotANumberError: some word's score is NaN.
        """
        shared = read.memory.select(torch.arange(len(read.words), device=read.words.device))
        made = 0

        def step(
            words: Tensor, state: DecoderState, documents: Tensor
        ) -> tuple[Tensor, DecoderState, Tensor]:
            nonlocal shared, made
            # The same rows as at the last output may have their copies already.
            if not torch.equal(documents, shared.rows):
                shared = read.memory.select(documents)
            scores, state, attended = decoder.distribute(
                words, shared, state, mode, read.words[documents], read.size
            )
            if made < self.least:  # all hypotheses are equally long
                scores[:, WordVocabulary.EOS] = -torch.inf
            made += 1
            return scores, state, attended.weights

        return beam(
            step,
            DecoderState.select,
            decoder.begin(read, mode),
            torch.full_like(read.words[:, 0], self.most),
            WordVocabulary.SOS,
            WordVocabulary.EOS,
            width=width,
            threshold=self.threshold,
            length_normalization=self.length_normalization,
        ).best
