"""Localised label smoothing (Chorowski and Jaitly 2017; Appendix A.1) of one utterance."""

import numpy as np
from numpy.typing import NDArray

WEIGHTS = {-2: 0.015, -1: 0.035, 0: 0.9, 1: 0.035, 2: 0.015}


def smoothed(labels: list[int], vocabulary_size: int) -> NDArray[np.float64]:
    """Each output's target: the weights go to the labels around it that exist, scaled to 1."""
    targets = np.zeros((len(labels), vocabulary_size))
    for i in range(len(labels)):
        inside = {d: w for d, w in WEIGHTS.items() if 0 <= i + d < len(labels)}
        for distance, weight in inside.items():
            targets[i, labels[i + distance]] += weight / sum(inside.values())
    return targets


def cross_entropy(logits: NDArray[np.float64], labels: list[int]) -> float:
    """Summed over the labels, in nats."""
    targets = smoothed(labels, logits.shape[1])
    total = 0.0
    for target, row in zip(targets, logits, strict=False):
        total -= float(target @ (row - np.log(np.exp(row).sum())))
    return total
