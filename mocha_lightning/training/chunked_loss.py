"""Log-probabilities of targets under a softmax too wide to be kept for all outputs at once."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor
from torch.utils.checkpoint import checkpoint

CHUNK = 1 << 25
"""Logits that are there at a time: 128 MiB in float32, and a few times that while going back."""


def target_log_probabilities(
    layer: Callable[[Tensor], Tensor],
    inputs: Float[Tensor, "rows input_dim"],
    targets: Int[Tensor, " rows"],
    classes: int,
    chunk: int = CHUNK,
) -> Float[Tensor, " rows"]:
    """The log-softmax of layer(input) at each row's target, computed some rows at a time.

    With 6,400 outputs of a batch and 50,000 words the logits alone are 1.2 GiB, and softmax and
    gradient as much again. Here those of a chunk are made, reduced to one number a row, and made
    again on the way back. What fits into one chunk is kept.

    Args:
        layer: the output layer.
        inputs: what it reads.
        targets: the class of each row.
        classes: how many the layer tells apart.
        chunk: how many logits there are at a time.
    """

    def part(inputs: Tensor, targets: Tensor) -> Tensor:
        logits = layer(inputs)
        # Half precision is too coarse for probabilities.
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        return -F.cross_entropy(logits, targets, reduction="none")

    rows = max(1, chunk // classes)
    if len(inputs) <= rows:
        return part(inputs, targets)
    parts = zip(torch.split(inputs, rows), torch.split(targets, rows), strict=True)
    return torch.cat(
        [checkpoint(part, *each, use_reentrant=False, preserve_rng_state=False) for each in parts]
    )
