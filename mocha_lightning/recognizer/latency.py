"""How far ahead a recogniser listens."""

from mocha_lightning.data.features import SHIFT_MILLISECONDS, LogMel
from mocha_lightning.recognizer.encoder import Encoder


def lookahead_milliseconds(encoder: Encoder, features: LogMel) -> int:
    """Audio after its own frame's window that a memory entry depends on, in milliseconds.

    An encoder with symmetric padding: 70, and 40 more for features with differences; a causal one:
    the 40 alone. How long an output waits for the attention to stop comes on top.
    """
    return SHIFT_MILLISECONDS * (encoder.lookahead + features.lookahead)
