"""A convolutional LSTM (Shi et al. 2015, eq. 3, without peepholes), number by number."""

from typing import Any

import numpy as np


def sigmoid(x: float) -> float:
    return 1 / (1 + np.exp(-x))


def convolutional_lstm(x: Any, inputs: Any, bias: Any, recurrence: Any) -> np.ndarray:
    """H_1 to H_T of one utterance.

    Args:
        x: channels x time x mel.
        inputs: W_x, gates x channels x 3; the gates in the order i, f, g, o.
        bias: of each gate.
        recurrence: W_h, likewise.
    """
    filters, time, mel = x.shape
    hidden, cell = np.zeros((time + 1, filters, mel)), np.zeros((time + 1, filters, mel))

    def gate(which: int, channel: int, t: int, m: int) -> float:
        row = which * filters + channel
        total = bias[row]
        for k in (-1, 0, 1):
            if 0 <= m + k < mel:
                for other in range(filters):
                    total += inputs[row, other, k + 1] * x[other, t, m + k]
                    total += recurrence[row, other, k + 1] * hidden[t, other, m + k]
        return total

    for t in range(time):
        for c in range(filters):
            for m in range(mel):
                i, f, g, o = (gate(which, c, t, m) for which in range(4))
                cell[t + 1, c, m] = sigmoid(f) * cell[t, c, m] + sigmoid(i) * np.tanh(g)
                hidden[t + 1, c, m] = sigmoid(o) * np.tanh(cell[t + 1, c, m])
    return hidden[1:].transpose(1, 0, 2)
