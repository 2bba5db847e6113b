"""The summariser as a Lightning module, over any attention mechanism."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytorch_lightning as pl
import torch
from jaxtyping import Float
from pytorch_lightning.utilities.types import OptimizerLRSchedulerConfig
from torch import Tensor

from mocha_lightning.attention import (
    AttentionFactory,
    CoverageAttention,
    MAtChA,
    MoChA,
    MonotonicAttention,
)
from mocha_lightning.data import DocumentBatch, DocumentSpec
from mocha_lightning.decoding import Decoded
from mocha_lightning.lengths import within
from mocha_lightning.pictures.figure import png
from mocha_lightning.pictures.word_figure import draw_words
from mocha_lightning.recognizer.arguments import (
    check_not_negative,
    check_positive,
    check_sizes,
)
from mocha_lightning.recognizer.decoder import Mode, teacher_inputs
from mocha_lightning.summarizer.alignments import alignments_of, first_of
from mocha_lightning.summarizer.decoder import Forced, Read, SummaryDecoder
from mocha_lightning.summarizer.encoder import Encoder, InitialState
from mocha_lightning.summarizer.pointer_generator import LostMass
from mocha_lightning.summarizer.search import Search
from mocha_lightning.summarizer.signatures import signatures
from mocha_lightning.summarizer.tally import SummaryTally
from mocha_lightning.summarizer.text import text_of
from mocha_lightning.training.adam import adam
from mocha_lightning.training.coverage_loss import coverage_loss
from mocha_lightning.training.processes import weighed
from mocha_lightning.training.schedules import ExponentialDecay
from mocha_lightning.training.searching import SearchingTask
from mocha_lightning.training.task import Split, check_corpus


class Summarizer(SearchingTask):
    """The pointer-generator of Appendix A.2 and See et al. (2017); the numbers are the paper's.

    Args:
        spec: what the corpus says of itself: the vocabulary.
        attention: builds the mechanism from (memory_dim, query_dim, energy_dim).
        embedding_dim: width of the embedding of a document's word.
        encoder_dim: width of the encoder's LSTM in each direction.
        decoder_dim: width of the decoder's LSTM.
        output_embedding_dim: width of the embedding of the last output.
        energy_dim: d, the hidden dimensionality of every energy function.
        unidirectional: whether the encoder has no backward direction, so that documents can be
            summarised as they come (the paper's has).
        initial_state: what the decoder begins with, see :class:`Encoder`.
        projection_dim: width of the linear layer that See et al. have before their output layer;
            None is no such layer.
        lost_mass: where the mass goes that a monotonic head has lost, see
            :class:`PointerGenerator`.
        coverage_weight: weight of See et al.'s coverage loss, for :class:`CoverageAttention`; the
            paper has none (0), See et al. 1.
        learning_rate: Adam's initial rate.
        schedule: maps the number of updates to a factor on the rate.
        adam_epsilon: Adam's epsilon.
        beam_width: hypotheses that the search at test keeps; 1 is greedy search, which validation
            always uses.
        beam_threshold: nats by which a hypothesis may be less likely than the best one; None is
            no such limit.
        length_normalization: alpha of the beam's score log P / n^alpha; the paper has none (0).
        max_outputs: the cap on a decoded summary, in words (See et al.: 120).
        min_outputs: words before which no summary ends; the paper has none (0).

    Raises:
        ValueError: a size or cap below 1; a rate or epsilon that is not positive; a negative
            weight, threshold or normalisation; a cap below the least; a coverage loss for
            attention without coverage; another initial state or place for the lost mass.
    """

    # Section 4, "tuned initial values for r" and "tuned the chunk size w". Of MAtChA the paper
    # gives no r: it scans as MoChA does.
    paper_arguments: ClassVar[Mapping[type, Mapping[str, Any]]] = {
        MonotonicAttention: {"offset": -1.0},
        MoChA: {"offset": 0.0, "chunk_size": 8},
        MAtChA: {"offset": 0.0},
    }
    none_means: ClassVar[Mapping[str, str]] = {
        "projection_dim": "no such layer",
        "beam_threshold": "no limit",
    }

    tally: SummaryTally

    def __init__(
        self,
        spec: DocumentSpec,
        attention: AttentionFactory,
        embedding_dim: int = 512,
        encoder_dim: int = 512,
        decoder_dim: int = 1024,
        output_embedding_dim: int = 1024,
        energy_dim: int = 1024,
        unidirectional: bool = False,
        initial_state: InitialState = "zero",
        projection_dim: int | None = None,
        lost_mass: LostMass = "generator",
        coverage_weight: float = 0.0,
        learning_rate: float = 5e-4,
        schedule: Callable[[int], float] = ExponentialDecay(),  # noqa: B008 (immutable)
        adam_epsilon: float = 8e-7,
        beam_width: int = 8,
        beam_threshold: float | None = 3.0,
        length_normalization: float = 0.0,
        max_outputs: int = 120,
        min_outputs: int = 0,
    ) -> None:
        super().__init__()
        check_sizes(
            embedding_dim=embedding_dim,
            encoder_dim=encoder_dim,
            decoder_dim=decoder_dim,
            output_embedding_dim=output_embedding_dim,
            energy_dim=energy_dim,
            projection_dim=1 if projection_dim is None else projection_dim,
            beam_width=beam_width,
            max_outputs=max_outputs,
        )
        check_positive(learning_rate=learning_rate, adam_epsilon=adam_epsilon)
        check_not_negative(
            coverage_weight=coverage_weight,
            beam_threshold=beam_threshold or 0,
            length_normalization=length_normalization,
            min_outputs=min_outputs,
        )
        if min_outputs > max_outputs:
            raise ValueError(
                f"min_outputs cannot be above max_outputs, which is {max_outputs}: {min_outputs}"
            )
        check_corpus(spec, DocumentSpec, "documents")
        self.vocabulary = spec.vocabulary
        size = len(spec.vocabulary)
        self.encoder = Encoder(
            size, embedding_dim, encoder_dim, decoder_dim, unidirectional, initial_state
        )
        self.decoder = SummaryDecoder(
            size,
            spec.vocabulary.UNK,
            output_embedding_dim,
            decoder_dim,
            self.encoder.memory_dim,
            energy_dim,
            attention,
            projection_dim,
            lost_mass,
        )
        mechanism = self.decoder.attention
        if coverage_weight > 0 and not isinstance(mechanism, CoverageAttention):
            raise ValueError(
                "coverage_weight needs CoverageAttention, whose weights sum to 1 and whose "
                f"energies see their sum so far; {type(mechanism).__name__} has no coverage: set "
                "it to 0"
            )
        self.coverage_weight = coverage_weight
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.adam_epsilon = adam_epsilon
        self.beam_width = beam_width
        self.search = Search(beam_threshold, length_normalization, max_outputs, min_outputs)
        self.begin_counting()

    def metric_signatures(self, split: Split) -> dict[str, str]:
        """Validation is by greedy search, test by the beam."""
        width = self.beam_width if split == "test" else 1
        return signatures(self.search.signature(1), self.search.signature(width))

    def read(self, batch: DocumentBatch) -> Read:
        """Encode the documents of a batch."""
        encoded = self.encoder(batch.source, batch.source_lengths)
        return Read(
            self.decoder.prepare(encoded.values, encoded.valid),
            encoded.hidden,
            encoded.cell,
            batch.extended_source,
            len(self.vocabulary) + max(map(len, batch.unknown)),
        )

    def forced(self, batch: DocumentBatch, read: Read) -> Forced:
        """How likely the true summaries are, with the true previous words as inputs."""
        inputs = teacher_inputs(batch.target, self.vocabulary.SOS)
        counted = within(batch.target_lengths, batch.target.shape[1])
        return self.decoder.likelihoods(inputs, batch.target, counted, read)

    def on_train_batch_start(self, batch: DocumentBatch, batch_idx: int) -> None:
        """Tell the mechanism which update this is (the noise ramp)."""
        self.decoder.attention.begin_update(self.global_step)

    def training_step(self, batch: DocumentBatch, batch_idx: int) -> Float[Tensor, ""]:
        """The mean negative log-likelihood of a word; with coverage, plus so much of its loss."""
        forced = self.forced(batch, self.read(batch))
        size, words = len(batch.target), batch.target_lengths.sum()
        loss = weighed(-forced.log_likelihoods.mean(), words)
        self.log("train/loss", loss, batch_size=size, sync_dist=True)
        if self.coverage_weight > 0:
            start = torch.zeros_like(forced.weights[:, 0])
            coverage = torch.stack([start, *(step.state for step in forced.steps[:-1])], 1)
            counted = within(batch.target_lengths, batch.target.shape[1])
            again = coverage_loss(forced.weights, coverage, counted)
            again = weighed(again, words)
            self.log("train/coverage", again, batch_size=size, sync_dist=True)
            loss = loss + self.coverage_weight * again
        return loss

    def decode(self, read: Read, mode: Mode, width: int = 1) -> Decoded:
        """Greedy search, or a beam of some width, under hard or expected attention."""
        return self.search(self.decoder, read, mode, width)

    def count(self, batch: DocumentBatch, width: int) -> None:
        """Add a batch's loss and summaries to :attr:`tally`."""
        read = self.read(batch)
        forced = self.forced(batch, read)
        self.tally.add_loss(-forced.log_likelihoods.mean(), batch.target_lengths.sum())
        self.tally.add_copied(forced.copied)
        counted = within(batch.target_lengths, batch.target.shape[1])
        self.tally.add_undecided(*self.decoder.undecided(read.memory, forced.steps, counted))
        first = self.decode(read, "hard")
        hard = first if width == 1 else self.decode(read, "hard", width)
        expected = self.decode(read, "expected", width)
        self.tally.add_decoded(hard)
        self.tally.add_unknown(hard, len(self.vocabulary))
        for row, example in enumerate(batch.examples):
            unknown = batch.unknown[row]
            texts = {
                f"hypothesis{kind}": text_of(
                    self.vocabulary.decode(found.tokens[row].tolist(), unknown)
                )
                for kind, found in (("", hard), ("_greedy", first), ("_expected", expected))
            }
            self.tally.predictions.append(
                {
                    "id": example.id,
                    **example.details,
                    "source": example.document,
                    "reference": example.summary,
                    **texts,
                }
            )

    def begin_counting(self) -> None:
        """With a tally of nothing."""
        self.tally = SummaryTally()

    def scores(self) -> dict[str, float]:
        """Those of the texts, and those of the tally."""
        return {**self.tally.text_scores(), **self.tally.scores()}

    def illustrate(self, data: pl.LightningDataModule) -> dict[str, bytes]:
        """The attention to a validation document: as arrays, and drawn."""
        batch = next(iter(data.val_dataloader()))
        if not isinstance(batch, DocumentBatch):
            return {}
        shown = self.transfer_batch_to_device(first_of(batch), self.device, 0)
        alignments = alignments_of(self.decoder, self.vocabulary, shown, self.read(shown))
        name = type(self.decoder.attention).__name__
        return {
            "word-alignments.npz": alignments.to_bytes(),
            "word-alignments.png": png(draw_words({name: alignments})),
        }

    def learning_rate_factors(self) -> Mapping[str, float]:
        """Those of the mechanism."""
        return self.decoder.learning_rate_factors("decoder")

    def configure_optimizers(self) -> OptimizerLRSchedulerConfig:
        """Adam with the paper's constants."""
        return adam(
            self,
            self.learning_rate,
            self.schedule,
            self.adam_epsilon,
            weight_decay=0.0,
            factors=self.learning_rate_factors(),
        )
