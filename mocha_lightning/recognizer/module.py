"""The speech recogniser as a Lightning module, over any attention mechanism."""

from collections.abc import Mapping
from typing import Any

import pytorch_lightning as pl
import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention import Attended, AttentionFactory, Memory, ScanningAttention
from mocha_lightning.data import SpeechBatch, SpeechData, SpeechSpec, Vocabulary
from mocha_lightning.decoding import Decoded, beam, greedy
from mocha_lightning.lengths import within
from mocha_lightning.pictures.figure import draw, png
from mocha_lightning.recognizer.alignments import alignments_of
from mocha_lightning.recognizer.arguments import check_not_negative, check_positive, check_sizes
from mocha_lightning.recognizer.base import Recognizer
from mocha_lightning.recognizer.ctc_layer import CtcLayer
from mocha_lightning.recognizer.decoder import Decoder, DecoderState, Mode, teacher_inputs
from mocha_lightning.recognizer.latency import Pacing, emission, latency_signatures
from mocha_lightning.recognizer.streaming_decoder import DecoderStream, SpokenChoice
from mocha_lightning.training.label_smoothing import smoothed_cross_entropy
from mocha_lightning.training.processes import weighed
from mocha_lightning.training.quantity_loss import quantity_loss
from mocha_lightning.training.task import Split


class SpeechRecognizer(Recognizer):
    """The recogniser of Appendix A.1, whose numbers are the defaults.

    Args:
        spec: what the corpus says of itself.
        attention: builds the mechanism from (memory_dim, query_dim, energy_dim).
        decoder_dim: width of the decoder's LSTM.
        embedding_dim: width of the embedding of the last output.
        energy_dim: d, the hidden dimensionality of every energy function.
        outputs_per_entry: the cap on a decoded sequence, in symbols per memory entry (the paper
            names none; how often it is hit is reported).
        length_normalization: alpha of the beam's score log P / n^alpha; the paper has none (0).
        quantity_weight: weight of the quantity loss, for mechanisms with a monotonic head (a
            :class:`ScanningAttention`); the paper has none (0).
        ctc_weight: lambda in the joint loss lambda L_ctc + (1 - lambda) L_attention of Hori et al.
            (2017), in [0, 1), with CTC on the encoder; the paper has none (0). It is for training:
            decoding is by attention alone, and so are validation's loss and every score.
        shared: the other arguments of :class:`Recognizer`.

    Raises:
        ValueError: a size below 1; a cap that is not positive; a negative normalisation or weight;
            a weight of CTC's from 1 up; a quantity loss for a mechanism without a monotonic head;
            and those of :class:`Recognizer`.
    """

    def __init__(
        self,
        spec: SpeechSpec,
        attention: AttentionFactory,
        decoder_dim: int = 256,
        embedding_dim: int = 64,
        energy_dim: int = 128,
        outputs_per_entry: float = 1.0,
        length_normalization: float = 0.0,
        quantity_weight: float = 0.0,
        ctc_weight: float = 0.0,
        **shared: Any,
    ) -> None:
        super().__init__(spec, **shared)
        check_sizes(decoder_dim=decoder_dim, embedding_dim=embedding_dim, energy_dim=energy_dim)
        check_positive(outputs_per_entry=outputs_per_entry)
        check_not_negative(
            length_normalization=length_normalization,
            quantity_weight=quantity_weight,
            ctc_weight=ctc_weight,
        )
        if ctc_weight >= 1:
            raise ValueError(
                f"ctc_weight must be below 1, not {ctc_weight}: CtcRecognizer is CTC alone"
            )
        memory_dim = self.encoder.memory_dim
        self.ctc: CtcLayer | None = None
        if ctc_weight > 0:
            # Drawn aside, so that the decoder starts from the same weights without the layer, and
            # the layer with every mechanism and without a decoder.
            with torch.random.fork_rng(devices=[]):
                self.ctc = CtcLayer(memory_dim, len(spec.vocabulary))
        self.decoder = Decoder(
            len(spec.vocabulary), embedding_dim, decoder_dim, memory_dim, energy_dim, attention
        )
        mechanism = self.decoder.attention
        if quantity_weight > 0 and not isinstance(mechanism, ScanningAttention):
            raise ValueError(
                "quantity_weight needs a mechanism with a monotonic head (a ScanningAttention), "
                f"which {type(mechanism).__name__} is not: set it to 0"
            )
        self.outputs_per_entry = outputs_per_entry
        self.length_normalization = length_normalization
        self.quantity_weight = quantity_weight
        self.ctc_weight = ctc_weight
        self.pacing = Pacing(
            self.encoder.frames_per_entry,
            self.encoder.lookahead + spec.lookahead,
            outputs_per_entry,
        )

    def metric_signatures(self, split: Split) -> dict[str, str]:
        """Validation is by greedy search, test by the beam."""
        search = self.search_signature(split, "beam")
        if search != "search:greedy" and self.length_normalization > 0:
            search += f"|length-normalization:{self.length_normalization:g}"
        return {
            "wer": f"{self.wer_signature}|attention:hard|{search}",
            "wer_greedy": f"{self.wer_signature}|attention:hard|search:greedy",
            "wer_expected": f"{self.wer_signature}|attention:expected|{search}",
            "loss": "nats per label|smoothed targets|true inputs|attention:expected",
            "undecided": "share of reached entries with p in (0.1, 0.9)|true inputs",
            "off_the_end": f"share of outputs with a context of zero|attention:hard|{search}",
            "length_cap": f"share of utterances|attention:hard|{search}",
            **latency_signatures("attention:hard|search:greedy"),
        }

    def encode(self, batch: SpeechBatch) -> Memory:
        """The memory of a batch."""
        return self.decoder.prepare(*self.encoder(batch.features, batch.frame_lengths))

    def stream(self) -> DecoderStream:
        """Greedy search under hard attention over a memory that is still growing."""
        return DecoderStream(self.decoder, SpokenChoice(self.decoder, self.outputs_per_entry))

    def on_train_batch_start(self, batch: SpeechBatch, batch_idx: int) -> None:
        """Tell the mechanism which update this is (the noise ramp)."""
        self.decoder.attention.begin_update(self.global_step)

    def training_step(self, batch: SpeechBatch, batch_idx: int) -> Float[Tensor, ""]:
        """Smoothed cross-entropy with the true previous symbols as inputs.

        With ``ctc_weight``, so much of the CTC loss and the rest of that; with
        ``quantity_weight``, plus so much of the quantity loss. Each is logged by itself.
        """
        memory, steps, loss = self._force(batch)
        size = len(batch.tokens)
        loss = weighed(loss, batch.token_lengths.sum())
        self.log("train/loss", loss, batch_size=size, sync_dist=True)
        if self.ctc is not None:
            ctc = self.ctc.loss(
                self.ctc(memory.values), memory.valid.sum(1), batch.tokens, batch.token_lengths
            )
            ctc_loss = weighed(ctc.mean, ctc.labels)
            self.log("train/ctc", ctc_loss, batch_size=size, sync_dist=True)
            unalignable = ctc.unalignable / size
            self.log("train/unalignable", unalignable, batch_size=size, sync_dist=True)
            loss = self.ctc_weight * ctc_loss + (1 - self.ctc_weight) * loss
        if self.quantity_weight > 0:
            stops = torch.stack([attended.state.sum(1) for attended in steps], 1)
            # Of the utterances, which all parts of a batch have as many of.
            quantity = quantity_loss(stops, batch.token_lengths)
            self.log("train/quantity", quantity, batch_size=size, sync_dist=True)
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

    def count(self, batch: SpeechBatch, width: int) -> None:
        """Loss, undecided share, and what hard and expected attention recognise."""
        memory, steps, loss = self._force(batch)
        self.tally.add_loss(loss, batch.token_lengths.sum())
        outputs = within(batch.token_lengths, batch.tokens.shape[1])
        self.tally.add_undecided(*self.decoder.undecided(memory, steps, outputs))
        first = self.decode(memory, "hard")
        hard = first if width == 1 else self.decode(memory, "hard", width)
        expected = self.decode(memory, "expected", width)
        self.tally.add_decoded(hard)
        for row, word_ends in enumerate(batch.word_ends):
            length = int(first.lengths[row])
            needed = length + (not first.capped[row])  # the end symbol
            emitted = emission(
                [self.vocabulary.decode([token]) for token in first.tokens[row, :length].tolist()],
                None if first.stops is None else first.stops[row, :needed],
                int(memory.lengths[row]),
                batch.seconds[row],
                self.pacing,
            )
            self.tally.latencies.add(batch.texts[row], word_ends, emitted)
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

    def learning_rate_factors(self) -> Mapping[str, float]:
        """Those of the mechanism."""
        return self.decoder.learning_rate_factors("decoder")

    def _force(self, batch: SpeechBatch) -> tuple[Memory, list[Attended], Float[Tensor, ""]]:
        """The memory, and with the true outputs as inputs the attention of each and the loss."""
        memory = self.encode(batch)
        forced = self.decoder(teacher_inputs(batch.tokens, Vocabulary.SOS), memory)
        loss = smoothed_cross_entropy(forced.logits, batch.tokens, batch.token_lengths)
        return memory, forced.steps, loss
