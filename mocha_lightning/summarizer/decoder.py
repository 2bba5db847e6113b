"""The decoder of summaries: that of speech, with words of the document beside its output layer."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention import Attended, AttentionFactory, Memory
from mocha_lightning.recognizer.decoder import Decoder, DecoderState, Mode
from mocha_lightning.summarizer.pointer_generator import (
    LostMass,
    PointerGenerator,
    copied_mass,
    log_distribution,
    log_likelihood,
)
from mocha_lightning.training.chunked_loss import target_log_probabilities


class Read(NamedTuple):
    """Documents of a batch that have been read.

    Attributes:
        memory: of the attention.
        hidden: s_0.
        cell: the LSTM's cell beside it.
        words: each memory entry's word, as the extended vocabulary numbers it.
        size: of the extended vocabulary.
    """

    memory: Memory
    hidden: Float[Tensor, "batch hidden_dim"]
    cell: Float[Tensor, "batch hidden_dim"]
    words: Int[Tensor, "batch time"]
    size: int


class Forced(NamedTuple):
    """What a pass with the true words as inputs gives, under expected attention.

    Attributes:
        log_likelihoods: log P of each true word, without padding.
        copied: the probability that the mixture gives to copying, whatever word, for each.
        weights: of the attention.
        steps: the attention of each output.
    """

    log_likelihoods: Float[Tensor, " words"]
    copied: Float[Tensor, " words"]
    weights: Float[Tensor, "batch outputs time"]
    steps: list[Attended]


class SummaryDecoder(Decoder):
    """A :class:`Decoder` whose words come from the vocabulary or from the document.

    Args:
        vocabulary_size: number of words and marks.
        unknown: the mark of a word that the vocabulary lacks, and its embedding's number.
        embedding_dim: width of the embedding of the last word.
        hidden_dim: dim(s_i).
        memory_dim: dim(h_j).
        energy_dim: d.
        attention: builds the mechanism from (memory_dim, query_dim, energy_dim).
        projection_dim: see :class:`Decoder`.
        lost_mass: see :class:`PointerGenerator`.

    Raises:
        ValueError: another place for the lost mass.
    """

    def __init__(
        self,
        vocabulary_size: int,
        unknown: int,
        embedding_dim: int,
        hidden_dim: int,
        memory_dim: int,
        energy_dim: int,
        attention: AttentionFactory,
        projection_dim: int | None = None,
        lost_mass: LostMass = "generator",
    ) -> None:
        # Made before the mechanism, so that it starts from the same weights with any.
        pointer_generator = PointerGenerator(hidden_dim + memory_dim, embedding_dim, lost_mass)
        super().__init__(
            vocabulary_size,
            embedding_dim,
            hidden_dim,
            memory_dim,
            energy_dim,
            attention,
            projection_dim,
        )
        self.pointer_generator = pointer_generator
        self.vocabulary_size = vocabulary_size
        self.unknown = unknown

    def begin(self, read: Read, mode: Mode) -> DecoderState:
        """The state before the first word."""
        return self.start(read.memory, mode)._replace(hidden=read.hidden, cell=read.cell)

    def embed(self, words: Int[Tensor, "*some"]) -> Float[Tensor, "*some embedding_dim"]:
        """x_i, the embedding of the last word; one that the vocabulary lacks is unknown here."""
        embedded: Tensor = self.embedding(self._in_vocabulary(words))
        return embedded

    def likelihoods(
        self,
        inputs: Int[Tensor, "batch outputs"],
        target: Int[Tensor, "batch outputs"],
        counted: Bool[Tensor, "batch outputs"],
        read: Read,
    ) -> Forced:
        """How likely the true words are; no distribution over all words is made.

        Args:
            inputs: y_{i-1} for each y_i.
            target: y_i.
            counted: which of them are no padding.
            read: the documents.

        Raises:
            NotANumberError: the attention of some output has come to NaN.
        """
        embedded = self.embed(inputs)
        reads, steps = self.follow(embedded, read.memory, self.begin(read, "expected"))
        weights = torch.stack([step.over(read.words.shape[1]) for step in steps], 1)
        copied = copied_mass(weights, read.words, target)
        # From here on without the padding, which can be half of a batch of summaries.
        reads, embedded, target, copied = (
            each[counted] for each in (reads, embedded, target, copied)
        )
        mass = weights.sum(-1)[counted]
        switch = self.pointer_generator(reads, embedded, mass)
        generated = target_log_probabilities(
            self.output, reads, self._in_vocabulary(target), self.vocabulary_size
        )
        generated = generated.masked_fill(target >= self.vocabulary_size, -torch.inf)
        likelihoods = log_likelihood(switch, generated, copied)
        return Forced(likelihoods, switch.copy.exp() * mass, weights, steps)

    def distribute(
        self,
        words: Int[Tensor, " rows"],
        memory: Memory,
        state: DecoderState,
        mode: Mode,
        sources: Int[Tensor, "rows time"],
        size: int,
    ) -> tuple[Float[Tensor, "rows extended"], DecoderState, Attended]:
        """One output: log P of every word of the extended vocabulary, given the last word.

        Args:
            words: y_{i-1}.
            memory: of each row.
            state: before the output.
            mode: in expectation, or hard.
            sources: each memory entry's word.
            size: of the extended vocabulary.
        """
        embedded = self.embed(words)
        reads, state, attended = self.advance(embedded, memory, state, mode)
        return self.mix(reads, embedded, attended, sources, size), state, attended

    def mix(
        self,
        reads: Float[Tensor, "rows read_dim"],
        embedded: Float[Tensor, "rows embedding_dim"],
        attended: Attended,
        sources: Int[Tensor, "rows time"],
        size: int,
    ) -> Float[Tensor, "rows extended"]:
        """Log P of every word of the extended vocabulary, given what has been attended to.

        Args:
            reads: [s_i; c_i].
            embedded: x_i.
            attended: what c_i was made of.
            sources: each memory entry's word.
            size: of the extended vocabulary.
        """
        if attended.entries is not None:
            sources = sources.gather(1, attended.entries)
        switch = self.pointer_generator(reads, embedded, attended.weights.sum(-1))
        return log_distribution(switch, self.output(reads), attended.weights, sources, size)

    def _in_vocabulary(self, words: Int[Tensor, "*some"]) -> Int[Tensor, "*some"]:
        return words.masked_fill(words >= self.vocabulary_size, self.unknown)
