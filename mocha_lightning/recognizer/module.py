"""The speech recogniser as a Lightning module, over any attention mechanism."""

from collections.abc import Callable

import pytorch_lightning as pl
import torch
from jaxtyping import Float
from pytorch_lightning.utilities.types import OptimizerLRSchedulerConfig
from torch import Tensor, nn

from mocha_lightning.attention import AttentionFactory, Memory, ScanningAttention
from mocha_lightning.attention.diagnostics import undecided_mass
from mocha_lightning.data import SpeechBatch, SpeechData, SpeechSpec, Vocabulary
from mocha_lightning.decoding import Decoded, beam, greedy
from mocha_lightning.metrics import WER_SIGNATURE, word_error_rate
from mocha_lightning.pictures.figure import draw, png
from mocha_lightning.recognizer.alignments import alignments_of
from mocha_lightning.recognizer.convolutional_lstm import ConvolutionalLSTM
from mocha_lightning.recognizer.decoder import Decoder, DecoderState, Mode, teacher_inputs
from mocha_lightning.recognizer.encoder import Encoder, valid_frames
from mocha_lightning.recognizer.latency import LATENCIES, Pacing
from mocha_lightning.recognizer.streaming_decoder import DecoderStream
from mocha_lightning.recognizer.tally import Tally
from mocha_lightning.training.label_smoothing import smoothed_cross_entropy
from mocha_lightning.training.parameter_groups import parameter_groups
from mocha_lightning.training.quantity_loss import quantity_loss
from mocha_lightning.training.schedules import StepDecay
from mocha_lightning.training.task import Split, Task
from mocha_lightning.training.weight_noise import WeightNoise

NOISY_LAYERS = (nn.LSTM, nn.LSTMCell, ConvolutionalLSTM, nn.Embedding)
"""What weight noise is for: "LSTM layer parameters and embeddings" (Appendix A.1)."""


class SpeechRecognizer(Task):
    """The recogniser of Appendix A.1, whose numbers are the defaults.

    Args:
        spec: what the corpus says of itself: vocabulary, channels and mel bins of the features.
        attention: builds the mechanism from (memory_dim, query_dim, energy_dim).
        filters: filters of each convolution.
        hidden_dim: width of the encoder's LSTM and dense layers.
        layers: LSTM layers of the encoder.
        convolutional_lstm: whether the encoder has its convolutional LSTM.
        causal: whether the encoder's convolutions see no frame after their own.
        decoder_dim: width of the decoder's LSTM.
        embedding_dim: width of the embedding of the last output.
        energy_dim: d, the hidden dimensionality of every energy function.
        learning_rate: Adam's initial rate.
        schedule: maps the number of updates to a factor on the rate.
        adam_epsilon: Adam's epsilon.
        weight_decay: coefficient of the L2 penalty.
        outputs_per_entry: the cap on a decoded sequence, in symbols per memory entry (the paper
            names none; how often it is hit is reported).
        beam_width: hypotheses that the search at test keeps; 1 is greedy search, which validation
            always uses.
        beam_threshold: nats by which a hypothesis may be less likely than the best one; None is
            no such limit.
        length_normalization: alpha of the beam's score log P / n^alpha; the paper has none (0).
        quantity_weight: weight of the quantity loss, for mechanisms with a monotonic head (a
            :class:`ScanningAttention`); the paper has none (0).
        weight_noise_std: standard deviation of the noise on the parameters of LSTM layers and of
            the embedding in training (:class:`WeightNoise`).
        weight_noise_start: training steps before the first with that noise.

    Raises:
        ValueError: a size below 1; a rate, epsilon or cap that is not positive; a negative decay,
            weight, noise or start of it; a quantity loss for a mechanism without a monotonic head.
    """

    def __init__(
        self,
        spec: SpeechSpec,
        attention: AttentionFactory,
        filters: int = 32,
        hidden_dim: int = 256,
        layers: int = 3,
        convolutional_lstm: bool = True,
        causal: bool = False,
        decoder_dim: int = 256,
        embedding_dim: int = 64,
        energy_dim: int = 128,
        learning_rate: float = 1e-3,
        schedule: Callable[[int], float] = StepDecay(),  # noqa: B008 (immutable)
        adam_epsilon: float = 1e-6,
        weight_decay: float = 1e-6,
        outputs_per_entry: float = 1.0,
        beam_width: int = 8,
        beam_threshold: float | None = 3.0,
        length_normalization: float = 0.0,
        quantity_weight: float = 0.0,
        weight_noise_std: float = 0.075,
        weight_noise_start: int = 20_000,
    ) -> None:
        super().__init__()
        for size, value in (
            ("filters", filters),
            ("hidden_dim", hidden_dim),
            ("layers", layers),
            ("decoder_dim", decoder_dim),
            ("embedding_dim", embedding_dim),
            ("energy_dim", energy_dim),
            ("beam_width", beam_width),
        ):
            if value < 1:
                raise ValueError(f"{size} must be at least 1, not {value}")
        for number, amount in (
            ("learning_rate", learning_rate),
            ("adam_epsilon", adam_epsilon),
            ("outputs_per_entry", outputs_per_entry),
        ):
            if amount <= 0:
                raise ValueError(f"{number} must be positive, not {amount}")
        for number, amount in (
            ("weight_decay", weight_decay),
            ("beam_threshold", beam_threshold or 0),
            ("length_normalization", length_normalization),
            ("quantity_weight", quantity_weight),
            ("weight_noise_std", weight_noise_std),
            ("weight_noise_start", weight_noise_start),
        ):
            if amount < 0:
                raise ValueError(f"{number} cannot be negative: {amount}")
        self.vocabulary = spec.vocabulary
        self.encoder = Encoder(
            spec.channels, spec.mel_bins, filters, hidden_dim, layers, convolutional_lstm, causal
        )
        self.decoder = Decoder(
            len(spec.vocabulary), embedding_dim, decoder_dim, hidden_dim, energy_dim, attention
        )
        mechanism = self.decoder.attention
        if quantity_weight > 0 and not isinstance(mechanism, ScanningAttention):
            raise ValueError(
                "quantity_weight needs a mechanism with a monotonic head (a ScanningAttention), "
                f"which {type(mechanism).__name__} is not: set it to 0"
            )
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.adam_epsilon = adam_epsilon
        self.weight_decay = weight_decay
        self.outputs_per_entry = outputs_per_entry
        self.beam_width = beam_width
        self.beam_threshold = beam_threshold
        self.length_normalization = length_normalization
        self.quantity_weight = quantity_weight
        self.weight_noise = WeightNoise(weight_noise_std, weight_noise_start, NOISY_LAYERS)
        self.pacing = Pacing(
            self.encoder.frames_per_entry,
            self.encoder.lookahead + spec.lookahead,
            outputs_per_entry,
        )
        self.tally = Tally()

    def configure_callbacks(self) -> list[pl.Callback]:
        """The weight noise."""
        return [self.weight_noise]

    def metric_signatures(self, split: Split) -> dict[str, str]:
        """Validation is by greedy search, test by the beam."""
        search = "search:greedy"
        if split == "test" and self.beam_width > 1:
            limit = "none" if self.beam_threshold is None else f"{self.beam_threshold:g}"
            search = f"search:beam-{self.beam_width}|threshold:{limit}"
            if self.length_normalization > 0:
                search += f"|length-normalization:{self.length_normalization:g}"
        return {
            "wer": f"{WER_SIGNATURE}|attention:hard|{search}",
            "wer_greedy": f"{WER_SIGNATURE}|attention:hard|search:greedy",
            "wer_expected": f"{WER_SIGNATURE}|attention:expected|{search}",
            "loss": "nats per label|smoothed targets|true inputs|attention:expected",
            "undecided": "share of reached entries with p in (0.1, 0.9)|true inputs",
            "off_the_end": f"share of outputs with a context of zero|attention:hard|{search}",
            "length_cap": f"share of utterances|attention:hard|{search}",
            **LATENCIES,
        }

    def encode(self, batch: SpeechBatch) -> Memory:
        """The memory of a batch."""
        return self.decoder.prepare(*self.encoder(batch.features, batch.frame_lengths))

    def on_train_batch_start(self, batch: SpeechBatch, batch_idx: int) -> None:
        """Tell the mechanism which update this is (the noise ramp)."""
        self.decoder.attention.begin_update(self.global_step)

    def training_step(self, batch: SpeechBatch, batch_idx: int) -> Float[Tensor, ""]:
        """Smoothed cross-entropy with the true previous symbols as inputs.

        With ``quantity_weight``, plus so much of the quantity loss, which is logged by itself.
        """
        forced = self.decoder(teacher_inputs(batch.tokens), self.encode(batch))
        loss = smoothed_cross_entropy(forced.logits, batch.tokens, batch.token_lengths)
        self.log("train/loss", loss, batch_size=len(batch.tokens))
        if self.quantity_weight > 0:
            stops = torch.stack([attended.state.sum(1) for attended in forced.steps], 1)
            quantity = quantity_loss(stops, batch.token_lengths)
            self.log("train/quantity", quantity, batch_size=len(batch.tokens))
            loss = loss + self.quantity_weight * quantity
        return loss

    def decode(self, memory: Memory, mode: Mode, width: int = 1) -> Decoded:
        """Greedy search, or a beam of some width, under hard or expected attention."""

        def step(
            symbols: Tensor, state: DecoderState, memory: Memory = memory
        ) -> tuple[Tensor, DecoderState, Tensor, Tensor | None]:
            logits, state, attended = self.decoder.step(symbols, memory, state, mode)
            return logits, state, attended.weights, attended.stop

        caps = (memory.valid.sum(1) * self.outputs_per_entry).ceil().long()
        start = self.decoder.start(memory, mode)
        if width == 1:
            return greedy(step, start, caps, Vocabulary.SOS, Vocabulary.EOS)
        shared = memory.select(torch.arange(len(caps), device=caps.device))

        def step_of_hypotheses(
            symbols: Tensor, state: DecoderState, utterances: Tensor
        ) -> tuple[Tensor, DecoderState, Tensor]:
            nonlocal shared
            # The same rows as at the last output may have their copies already.
            if not torch.equal(utterances, shared.rows):
                shared = memory.select(utterances)
            return step(symbols, state, shared)[:3]

        return beam(
            step_of_hypotheses,
            DecoderState.select,
            start,
            caps,
            Vocabulary.SOS,
            Vocabulary.EOS,
            width=width,
            threshold=self.beam_threshold,
            length_normalization=self.length_normalization,
        ).best

    def stream(self) -> DecoderStream:
        """Begin to decode a memory that is still growing.

        Raises:
            UserError: the mechanism cannot attend before the whole memory is there.
        """
        return DecoderStream(self.decoder, self.outputs_per_entry)

    def on_validation_epoch_start(self) -> None:
        """Begin counting anew."""
        self.tally = Tally()

    def validation_step(self, batch: SpeechBatch, batch_idx: int) -> None:
        """Loss, undecided share, and hard and expected greedy search."""
        self._count(batch, width=1)

    def _count(self, batch: SpeechBatch, width: int) -> None:
        memory = self.encode(batch)
        forced = self.decoder(teacher_inputs(batch.tokens), memory)
        loss = smoothed_cross_entropy(forced.logits, batch.tokens, batch.token_lengths)
        self.tally.add_loss(loss, batch.token_lengths.sum())
        if forced.steps[0].logits is not None:
            outputs = valid_frames(batch.token_lengths, batch.tokens.shape[1])
            start = self.decoder.attention.expected_start(memory)
            self.tally.add_undecided(*undecided_mass(forced.steps, start, outputs))
        first = self.decode(memory, "hard")
        hard = first if width == 1 else self.decode(memory, "hard", width)
        expected = self.decode(memory, "expected", width)
        self.tally.add_decoded(hard)
        self.tally.latencies.add(batch, first, memory.lengths, self.pacing, self.vocabulary)
        for row, utterance in enumerate(batch.utterances):
            self.tally.predictions.append(
                {
                    "utterance": utterance,
                    "reference": batch.texts[row],
                    "hypothesis": self.vocabulary.decode(hard.tokens[row].tolist()),
                    "hypothesis_greedy": self.vocabulary.decode(first.tokens[row].tolist()),
                    "hypothesis_expected": self.vocabulary.decode(expected.tokens[row].tolist()),
                }
            )

    def on_validation_epoch_end(self) -> None:
        """Log the scores of the whole split."""
        self._log_scores("val")

    on_test_epoch_start = on_validation_epoch_start

    def test_step(self, batch: SpeechBatch, batch_idx: int) -> None:
        """The same with a beam, and hard greedy search besides."""
        self._count(batch, self.beam_width)

    def on_test_epoch_end(self) -> None:
        """Log the scores of the whole split, and keep what was recognised."""
        self._log_scores("test")
        self.predictions = self.tally.predictions

    def illustrate(self, data: pl.LightningDataModule) -> dict[str, bytes]:
        """The attention to one validation utterance: as arrays, and drawn."""
        if not isinstance(data, SpeechData):
            return {}
        alignments = alignments_of(self.encoder, self.decoder, self.vocabulary, data.showcase())
        name = type(self.decoder.attention).__name__
        return {
            "alignments.npz": alignments.to_bytes(),
            "alignments.png": png(draw({name: alignments})),
        }

    def _log_scores(self, split: str) -> None:
        texts = {key: [p[key] for p in self.tally.predictions] for key in self.tally.predictions[0]}
        scores = {
            "wer": word_error_rate(texts["reference"], texts["hypothesis"]),
            "wer_greedy": word_error_rate(texts["reference"], texts["hypothesis_greedy"]),
            "wer_expected": word_error_rate(texts["reference"], texts["hypothesis_expected"]),
            **self.tally.scores(),
        }
        self.log_dict({f"{split}/{name}": value for name, value in scores.items()})

    def configure_optimizers(self) -> OptimizerLRSchedulerConfig:
        """Adam with the paper's constants; the schedule moves every rate at every update."""
        factors = {
            f"decoder.attention.{name}": factor
            for name, factor in self.decoder.attention.learning_rate_factors().items()
        }
        # Lightning clips no gradients of a fused optimiser that computes in mixed precision.
        mixed = self._trainer is not None and "mixed" in self.trainer.precision
        optimizer = torch.optim.Adam(
            parameter_groups(self, self.learning_rate, factors),
            betas=(0.9, 0.999),
            eps=self.adam_epsilon,
            weight_decay=self.weight_decay,
            fused=not mixed,
        )
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, self.schedule)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": scheduler, "interval": "step"},
        }
