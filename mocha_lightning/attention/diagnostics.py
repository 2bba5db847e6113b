"""What tells, without decoding, whether a monotonic head has learned to decide."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from mocha_lightning.attention.alignment import reach_probability
from mocha_lightning.attention.base import Attended

UNDECIDED = (0.1, 0.9)
"""Selection probabilities between these two are neither a stop nor a pass."""


@torch.no_grad()
def undecided_mass(
    steps: Sequence[Attended],
    start: Float[Tensor, "batch time"],
    valid_outputs: Bool[Tensor, "batch outputs"],
) -> tuple[float, float]:
    """How much of what the head inspects it neither takes nor leaves.

    A model is trained on expectations over where its head could stop and tested on where it does
    stop. The two agree only if p_{i,j} is near 0 or 1 wherever the scan can come. The loss does
    not show whether it is; this share does.

    Args:
        steps: expected attention at each output, from a mechanism with a monotonic head (whose
            ``state`` is alpha_i), computed without noise.
        start: alpha_0.
        valid_outputs: True where an output belongs to its sequence.

    Returns:
        The probability of reaching an entry, summed over entries with p in (0.1, 0.9), and summed
        over all entries. Their ratio is the undecided share.
    """
    low, high = (torch.logit(torch.tensor(p)).item() for p in UNDECIDED)
    previous, undecided, total = start, 0.0, 0.0
    for i, attended in enumerate(steps):
        assert attended.logits is not None
        reach = reach_probability(attended.logits, previous) * valid_outputs[:, i, None]
        reach = reach * (attended.logits > -torch.inf)
        middle = (attended.logits > low) & (attended.logits < high)
        undecided += (reach * middle).sum().item()
        total += reach.sum().item()
        previous = attended.state
    return undecided, total
