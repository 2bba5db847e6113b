"""What a recogniser counts over a split."""

from collections.abc import Callable

from mocha_lightning.metrics import word_error_rate
from mocha_lightning.recognizer.latency import Latencies
from mocha_lightning.training.tally import Tally


class SpeechTally(Tally):
    """Sums over a split, so that scores do not depend on how it was cut into batches."""

    def __init__(self) -> None:
        super().__init__()
        self.latencies = Latencies()
        self._to_align = self._unalignable = 0

    def add_unalignable(self, unalignable: int, utterances: int) -> None:
        """Count a batch's utterances, and those whose transcript no CTC path spells."""
        self._unalignable += unalignable
        self._to_align += utterances

    def word_error_rates(self, scored: Callable[[str], str]) -> dict[str, float]:
        """``wer_greedy`` of the predictions' ``hypothesis_greedy``, and so on, in per cent.

        Args:
            scored: makes of a text what of it counts.
        """
        texts = {
            key: [scored(each[key]) for each in self.predictions]
            for key in self.predictions[0]
            if key.startswith(("reference", "hypothesis"))
        }
        references = texts.pop("reference")
        return {
            key.replace("hypothesis", "wer"): word_error_rate(references, hypotheses)
            for key, hypotheses in texts.items()
        }

    def scores(self) -> dict[str, float]:
        """The scores by name.

        Beside those of :class:`Tally`, for CTC ``unalignable``, the share of utterances whose
        transcript no path spells. Where the corpus knows when its words end, also those of
        :class:`Latencies`.
        """
        scores = super().scores()
        if self._to_align:
            scores["unalignable"] = self._unalignable / self._to_align
        return scores | self.latencies.scores()
