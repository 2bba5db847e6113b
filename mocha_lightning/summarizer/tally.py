"""What is counted over a split, batch by batch."""

from jaxtyping import Float
from torch import Tensor

from mocha_lightning.decoding import Decoded
from mocha_lightning.metrics import exact_match, rouge
from mocha_lightning.training.tally import Tally


class SummaryTally(Tally):
    """Sums over a split, so that scores do not depend on how it was cut into batches."""

    def __init__(self) -> None:
        super().__init__()
        self._copied = 0.0
        self._true_words = self._unknown = self._words = 0

    def add_copied(self, copied: Float[Tensor, " words"]) -> None:
        """Count the probability that the mixture gives to copying, for each true word."""
        self._copied += copied.sum().item()
        self._true_words += len(copied)

    def add_unknown(self, decoded: Decoded, vocabulary_size: int) -> None:
        """Count the words of what was decoded, and those that the vocabulary lacks."""
        self._unknown += int((decoded.tokens >= vocabulary_size).sum())
        self._words += int(decoded.lengths.sum())

    def text_scores(self) -> dict[str, float]:
        """ROUGE and exact match of the predictions, in per cent.

        ``rouge1`` is of their ``hypothesis``, ``rouge1_greedy`` of ``hypothesis_greedy``, and so
        on.
        """
        references = [each["reference"] for each in self.predictions]
        scores: dict[str, float] = {}
        for key in self.predictions[0]:
            if key.startswith("hypothesis"):
                hypotheses = [each[key] for each in self.predictions]
                found = {
                    **rouge(references, hypotheses),
                    "exact_match": exact_match(references, hypotheses),
                }
                kind = key.removeprefix("hypothesis")
                scores |= {f"{name}{kind}": value for name, value in found.items()}
        return scores

    def scores(self) -> dict[str, float]:
        """The scores by name.

        Beside those of :class:`Tally`, ``copied``, the share of probability that the mixture gives
        to copying, and ``unknown_words``, the share of decoded words that the vocabulary lacks.
        """
        return super().scores() | {
            "copied": self._copied / self._true_words,
            # Summaries may all be empty, as those of a model that has learnt nothing.
            "unknown_words": self._unknown / max(1, self._words),
        }
