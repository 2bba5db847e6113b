"""Localised label smoothing (Chorowski and Jaitly 2017; Appendix A.1)."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.lengths import within

NEIGHBOURS = {-2: 0.015, -1: 0.035, 1: 0.035, 2: 0.015}
"""The paper's weights: how much of a target goes to the label at each distance in time."""


def smooth_targets(
    tokens: Int[Tensor, "batch outputs"],
    lengths: Int[Tensor, " batch"],
    vocabulary_size: int,
    neighbours: dict[int, float] = NEIGHBOURS,
) -> Float[Tensor, "batch outputs vocabulary"]:
    """Target distributions that lend probability to the labels just before and after.

    A neighbour outside the utterance gives nothing and the rest is scaled to sum to 1; a label
    that occurs twice in the window gathers both weights. Outputs past the end are all zero.

    Args:
        tokens: y, the end-of-sequence label included.
        lengths: number of labels of each utterance.
        vocabulary_size: number of classes.
        neighbours: weight by distance; the label itself keeps what they leave of 1.
    """
    valid = within(lengths, tokens.shape[1])
    one_hot = F.one_hot(tokens, vocabulary_size) * valid.unsqueeze(-1)
    targets = one_hot * (1 - sum(neighbours.values()))
    for distance, weight in neighbours.items():
        # roll brings label i + distance to place i; what wrapped around is cut off.
        moved = one_hot.roll(-distance, dims=1)
        (moved[:, -distance:] if distance > 0 else moved[:, :-distance]).zero_()
        targets = targets + weight * moved
    targets = targets * valid.unsqueeze(-1)
    return targets / targets.sum(-1, keepdim=True).clamp_min(1e-12)


def smoothed_cross_entropy(
    logits: Float[Tensor, "batch outputs vocabulary"],
    tokens: Int[Tensor, "batch outputs"],
    lengths: Int[Tensor, " batch"],
    neighbours: dict[int, float] = NEIGHBOURS,
) -> Float[Tensor, ""]:
    """Cross-entropy against :func:`smooth_targets`, in nats, averaged over the batch's labels."""
    targets = smooth_targets(tokens, lengths, logits.shape[-1], neighbours)
    # Half precision is too coarse for probabilities.
    dtype = torch.promote_types(logits.dtype, torch.float32)
    return -(targets * F.log_softmax(logits, dim=-1, dtype=dtype)).sum() / lengths.sum()
