"""What is counted over a split, batch by batch, whatever is searched for."""

import math
from typing import Any, Self

from torch import Tensor

from mocha_lightning.decoding import Decoded


class Tally:
    """Sums over a split, so that scores do not depend on how it was cut into batches."""

    def __init__(self) -> None:
        self.predictions: list[dict[str, Any]] = []
        self._loss = self._labels = 0.0
        self._undecided = self._reached = 0.0
        self._steps = self._off_the_end = 0
        self._utterances = self._capped = 0

    def __iadd__(self, other: Self) -> Self:
        """Count what another has counted, as if it had come after all of this."""
        for name, counted in vars(other).items():
            own = getattr(self, name)
            own += counted
            setattr(self, name, own)
        return self

    def add_loss(self, mean_loss: Tensor, labels: Tensor) -> None:
        """Count a batch's loss, averaged over its labels."""
        self._loss += (mean_loss * labels).item()
        self._labels += labels.item()

    def add_undecided(self, undecided: float, reached: float) -> None:
        """Count what :func:`undecided_mass` gives."""
        self._undecided += undecided
        self._reached += reached

    def add_decoded(self, decoded: Decoded) -> None:
        """Count steps without a context, and utterances that hit the length cap."""
        taken = ~decoded.attended.isnan()
        self._steps += int(taken.sum())
        self._off_the_end += int((decoded.attended[taken] == 0).sum())
        self._utterances += len(decoded.capped)
        self._capped += int(decoded.capped.sum())

    def scores(self) -> dict[str, float]:
        """The scores by name.

        ``loss`` in nats per label. For decoders ``length_cap``, the share of utterances that hit
        the cap. For a monotonic head also ``undecided``, the share of the scan that meets a
        selection probability in (0.1, 0.9), and ``off_the_end``, the share of hard decoding's
        outputs made with a context of zero because the scan had passed the memory's end.
        """
        scores = {"loss": self._loss / self._labels if self._labels else math.nan}
        if self._utterances:
            scores["length_cap"] = self._capped / self._utterances
        if self._reached:
            scores["undecided"] = self._undecided / self._reached
            scores["off_the_end"] = self._off_the_end / self._steps
        return scores
