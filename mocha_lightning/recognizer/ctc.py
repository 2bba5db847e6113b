"""A speech recogniser by CTC alone: the shared encoder, without decoder or attention."""

import math
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.data import SpeechBatch, SpeechSpec
from mocha_lightning.decoding.ctc import Spelled, ctc_greedy, ctc_prefix_beam
from mocha_lightning.recognizer.base import Recognizer
from mocha_lightning.recognizer.ctc_layer import BLANK, CtcLayer, in_vocabulary
from mocha_lightning.recognizer.latency import Pacing, emission, latency_signatures
from mocha_lightning.recognizer.streaming_ctc import CtcStream
from mocha_lightning.training.processes import weighed
from mocha_lightning.training.task import Split


class CtcRecognizer(Recognizer):
    """The encoder of Appendix A.1 under connectionist temporal classification (Graves et al. 2006).

    A symbol or the blank at each memory entry, each given the audio alone. It attends to nothing,
    so it has no scores of attention and no picture of it; a path is as long as the memory, so it
    needs no cap.

    Args:
        spec: what the corpus says of itself.
        shared: the other arguments of :class:`Recognizer`.

    Raises:
        ValueError: as :class:`Recognizer` does.
    """

    departures = (
        "CtcRecognizer is the paper's encoder under a CTC loss: the paper has no such model, its "
        "CTC baselines are of other papers",
    )

    def __init__(self, spec: SpeechSpec, **shared: Any) -> None:
        super().__init__(spec, **shared)
        self.ctc = CtcLayer(self.encoder.memory_dim, len(spec.vocabulary))
        self.pacing = Pacing(
            self.encoder.frames_per_entry,
            self.encoder.lookahead + spec.lookahead,
            outputs_per_entry=math.inf,
        )

    def metric_signatures(self, split: Split) -> dict[str, str]:
        """Validation is by greedy search, test by the prefix beam."""
        search = self.search_signature(split, "prefix-beam")
        return {
            "wer": f"{self.wer_signature}|attention:none|ctc|{search}",
            "wer_greedy": f"{self.wer_signature}|attention:none|ctc|search:greedy",
            "loss": "nats per label, the end symbol counted|ctc|of alignable utterances",
            "unalignable": "share of utterances whose transcript no path spells",
            **latency_signatures("attention:none|ctc|search:greedy"),
        }

    def score(
        self, batch: SpeechBatch
    ) -> tuple[Float[Tensor, "batch time outputs"], Int[Tensor, " batch"]]:
        """Log-probabilities of the outputs at each memory entry, and the number of entries."""
        memory, valid = self.encoder(batch.features, batch.frame_lengths)
        return self.ctc(memory), valid.sum(1)

    def training_step(self, batch: SpeechBatch, batch_idx: int) -> Float[Tensor, ""]:
        """The CTC loss in nats per label."""
        loss = self.ctc.loss(*self.score(batch), batch.tokens, batch.token_lengths)
        size = len(batch.tokens)
        mean = weighed(loss.mean, loss.labels)
        self.log("train/loss", mean, batch_size=size, sync_dist=True)
        unalignable = loss.unalignable / size
        self.log("train/unalignable", unalignable, batch_size=size, sync_dist=True)
        return mean

    def count(self, batch: SpeechBatch, width: int) -> None:
        """Loss, share that cannot be aligned, and what is recognised."""
        log_probs, entries = self.score(batch)
        loss = self.ctc.loss(log_probs, entries, batch.tokens, batch.token_lengths)
        self.tally.add_loss(loss.mean, loss.labels)
        self.tally.add_unalignable(int(loss.unalignable), len(batch.tokens))
        first = ctc_greedy(log_probs, entries, BLANK)
        best = first
        if width > 1:
            best = ctc_prefix_beam(log_probs, entries, BLANK, width, self.beam_threshold)
        assert first.entries is not None  # greedy search follows a path
        for row, word_ends in enumerate(batch.word_ends):
            tokens = in_vocabulary(first.tokens[row, : first.lengths[row]]).tolist()
            emitted = emission(
                [self.vocabulary.decode([token]) for token in tokens],
                first.entries[row, : len(tokens)],
                int(entries[row]),
                batch.seconds[row],
                self.pacing,
            )
            self.tally.latencies.add(batch.texts[row], word_ends, emitted)
        hypotheses, greedy_hypotheses = self._texts(best), self._texts(first)
        for row, utterance in enumerate(batch.utterances):
            self.tally.predictions.append(
                {
                    "utterance": utterance,
                    "reference": batch.texts[row],
                    "hypothesis": hypotheses[row],
                    "hypothesis_greedy": greedy_hypotheses[row],
                }
            )

    def stream(self) -> CtcStream:
        """Greedy search over a memory that is still growing."""
        return CtcStream(self.ctc)

    def _texts(self, found: Spelled) -> list[str]:
        return [self.vocabulary.decode(row) for row in in_vocabulary(found.tokens).tolist()]
