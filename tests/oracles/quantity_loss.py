"""The quantity loss, stop by stop."""

from numpy.typing import NDArray


def quantity(alphas: list[list[NDArray]], lengths: list[int]) -> float:
    """The mean over utterances of |expected stops - labels|; ``alphas[b][i]`` is alpha_i."""
    total = 0.0
    for alpha, labels in zip(alphas, lengths, strict=True):
        stops = 0.0
        for i in range(labels):
            for probability in alpha[i]:
                stops += probability
        total += abs(stops - labels)
    return total / len(lengths)
