"""What every speech recogniser shares: the encoder, how it is trained, and how it is scored."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Protocol

import pytorch_lightning as pl
from jaxtyping import Float
from pytorch_lightning.utilities.types import OptimizerLRSchedulerConfig
from torch import Tensor, nn

from mocha_lightning.data import SpeechBatch, SpeechSpec
from mocha_lightning.metrics import WER_SIGNATURE
from mocha_lightning.recognizer.arguments import (
    check_not_negative,
    check_positive,
    check_sizes,
)
from mocha_lightning.recognizer.convolutional_lstm import ConvolutionalLSTM
from mocha_lightning.recognizer.encoder import Encoder
from mocha_lightning.recognizer.streaming_decoder import Output
from mocha_lightning.recognizer.tally import SpeechTally
from mocha_lightning.training.adam import adam
from mocha_lightning.training.schedules import StepDecay
from mocha_lightning.training.searching import SearchingTask
from mocha_lightning.training.task import Split, check_corpus
from mocha_lightning.training.weight_noise import WeightNoise

NOISY_LAYERS = (nn.LSTM, nn.LSTMCell, ConvolutionalLSTM, nn.Embedding)
"""What weight noise is for: "LSTM layer parameters and embeddings" (Appendix A.1)."""


class SymbolStream(Protocol):
    """Memory entries in, symbols out, each as soon as it is decided."""

    @property
    def ended(self) -> bool:
        """Whether the end symbol has come: what is said after it is not heard."""

    def accept(self, entries: Float[Tensor, "entries memory_dim"]) -> list[Output]:
        """The symbols that some more memory entries decide."""

    def finish(self) -> list[Output]:
        """The symbols that were left, now that there are no more entries."""


class Recognizer(SearchingTask):
    """An encoder of Appendix A.1 and how it is trained and scored; the numbers are the paper's.

    What a subclass adds is built after the encoder, so that a seed gives every recogniser the
    same encoder.

    Args:
        spec: what the corpus says of itself: vocabulary, channels and mel bins of the features.
        filters: filters of each convolution.
        hidden_dim: width of the encoder's LSTM and dense layers.
        layers: LSTM layers of the encoder.
        convolutional_lstm: whether the encoder has its convolutional LSTM.
        causal: whether the encoder's convolutions see no frame after their own.
        kernel_frames: frames that each of the encoder's convolutions sees.
        learning_rate: Adam's initial rate.
        schedule: maps the number of updates to a factor on the rate.
        adam_epsilon: Adam's epsilon.
        weight_decay: coefficient of the L2 penalty.
        beam_width: hypotheses that the search at test keeps; 1 is greedy search, which validation
            always uses.
        beam_threshold: nats by which a hypothesis may be less likely than the best one; None is
            no such limit.
        weight_noise_std: standard deviation of the noise on the parameters of LSTM layers and of
            embeddings in training (:class:`WeightNoise`).
        weight_noise_start: training steps before the first with that noise.

    Raises:
        ValueError: a size below 1; an even kernel or one of a single frame; a rate or epsilon that
            is not positive; a negative decay, threshold, noise or start of it.
    """

    none_means: ClassVar[Mapping[str, str]] = {"beam_threshold": "no limit"}

    tally: SpeechTally

    def __init__(
        self,
        spec: SpeechSpec,
        filters: int = 32,
        hidden_dim: int = 256,
        layers: int = 3,
        convolutional_lstm: bool = True,
        causal: bool = False,
        kernel_frames: int = 3,
        learning_rate: float = 1e-3,
        schedule: Callable[[int], float] = StepDecay(),  # noqa: B008 (immutable)
        adam_epsilon: float = 1e-6,
        weight_decay: float = 1e-6,
        beam_width: int = 8,
        beam_threshold: float | None = 3.0,
        weight_noise_std: float = 0.075,
        weight_noise_start: int = 20_000,
    ) -> None:
        super().__init__()
        check_sizes(filters=filters, hidden_dim=hidden_dim, layers=layers, beam_width=beam_width)
        check_positive(learning_rate=learning_rate, adam_epsilon=adam_epsilon)
        check_not_negative(
            weight_decay=weight_decay,
            beam_threshold=beam_threshold or 0,
            weight_noise_std=weight_noise_std,
            weight_noise_start=weight_noise_start,
        )
        check_corpus(spec, SpeechSpec, "speech")
        self.vocabulary = spec.vocabulary
        self.encoder = Encoder(
            spec.channels,
            spec.mel_bins,
            filters,
            hidden_dim,
            layers,
            convolutional_lstm,
            causal,
            kernel_frames,
        )
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.adam_epsilon = adam_epsilon
        self.weight_decay = weight_decay
        self.beam_width = beam_width
        self.beam_threshold = beam_threshold
        self.weight_noise = WeightNoise(weight_noise_std, weight_noise_start, NOISY_LAYERS)
        self.begin_counting()

    @abstractmethod
    def count(self, batch: SpeechBatch, width: int) -> None:
        """Add a batch's loss and what is recognised in it to the tally.

        Each of the tally's predictions has the ``reference`` and, under names that begin with
        ``hypothesis``, what was recognised.
        """

    @abstractmethod
    def stream(self) -> SymbolStream:
        """Greedy search over a memory that is still growing.

        Raises:
            UserError: it cannot decide before the whole memory is there.
        """

    def learning_rate_factors(self) -> Mapping[str, float]:
        """Multiples of the learning rate, by the full names of parameters with one of their own."""
        return {}

    @property
    def wer_signature(self) -> str:
        """What word error rate is computed, however the model decodes."""
        unscored = self.vocabulary.unscored
        return f"{WER_SIGNATURE}|without:{','.join(unscored)}" if unscored else WER_SIGNATURE

    def search_signature(self, split: Split, beam: str) -> str:
        """Validation is by greedy search, test by a beam of this name."""
        if split == "val" or self.beam_width == 1:
            return "search:greedy"
        limit = "none" if self.beam_threshold is None else f"{self.beam_threshold:g}"
        return f"search:{beam}-{self.beam_width}|threshold:{limit}"

    def configure_callbacks(self) -> list[pl.Callback]:
        """The weight noise."""
        return [self.weight_noise]

    def begin_counting(self) -> None:
        """With a tally of nothing."""
        self.tally = SpeechTally()

    def scores(self) -> dict[str, float]:
        """Those of the texts, and those of the tally."""
        return {**self.tally.word_error_rates(self.vocabulary.scored), **self.tally.scores()}

    def configure_optimizers(self) -> OptimizerLRSchedulerConfig:
        """Adam with the paper's constants."""
        return adam(
            self,
            self.learning_rate,
            self.schedule,
            self.adam_epsilon,
            self.weight_decay,
            self.learning_rate_factors(),
        )
