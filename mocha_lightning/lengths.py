"""Which places of padded sequences are filled."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def within(lengths: Int[Tensor, " batch"], size: int) -> Bool[Tensor, "batch size"]:
    """True for the first so many of ``size`` places as each sequence is long."""
    return torch.arange(size, device=lengths.device) < lengths.unsqueeze(1)
