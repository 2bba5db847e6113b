"""Greedy CTC search over a memory that is still growing."""

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.errors import NotANumberError
from mocha_lightning.recognizer.ctc_layer import BLANK, CtcLayer, in_vocabulary
from mocha_lightning.recognizer.streaming_decoder import Output


class CtcStream:
    """Gives each symbol at the first entry of those where it is the likeliest.

    Symbols and entries are those of :func:`ctc_greedy` over the whole memory, however it is cut:
    what an entry spells depends on its likeliest output and on that of the entry before, which
    alone is kept. Scores are computed entry by entry, so the pieces make no difference to the
    last bit. (Offline the scores of all entries are one product of matrices, whose rounding can
    tip two outputs that are alike to seven digits.)

    Args:
        layer: in evaluation.

    Raises:
        NotANumberError: while decoding, a score is NaN.
    """

    ended: ClassVar[bool] = False
    """CTC has no end symbol: all that is said is heard."""

    def __init__(self, layer: CtcLayer) -> None:
        self._layer = layer
        self._arrived = 0
        self._last = BLANK

    @torch.inference_mode()
    def accept(self, entries: Float[Tensor, "entries memory_dim"]) -> list[Output]:
        """The symbols that some more memory entries spell."""
        outputs: list[Output] = []
        for entry in entries:
            # In memory of its own, as in the encoder's stream.
            log_probs = self._layer(entry[None, None].clone())
            if log_probs.isnan().any():
                raise NotANumberError("decoding came to scores that are NaN")
            best = log_probs.argmax(-1)
            if int(best) not in (BLANK, self._last):
                outputs.append(Output(int(in_vocabulary(best)), self._arrived))
            self._last = int(best)
            self._arrived += 1
        return outputs

    def finish(self) -> list[Output]:
        """None are left: no symbol waits for what comes after it."""
        return []
