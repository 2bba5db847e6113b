"""Softmax that keeps its digits in half precision."""

import torch
from jaxtyping import Float
from torch import Tensor


def softmax(energies: Float[Tensor, "... some"]) -> Float[Tensor, "... some"]:
    """Softmax over the last axis, in float32 at least.

    Under autocast a GPU does it so by itself and a processor does not: weights of bfloat16, which
    has three digits, sum to 1 only within a hundredth.
    """
    return torch.softmax(energies, -1, dtype=torch.promote_types(energies.dtype, torch.float32))
