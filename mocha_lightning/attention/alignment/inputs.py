"""What all alignments ask of their arguments."""

import torch
from jaxtyping import Float
from torch import Tensor


def as_rows(
    first: Float[Tensor, "... time"], second: Float[Tensor, "... time"]
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """All sequences one below the other, of one type, float32 at least."""
    dtype = torch.promote_types(torch.promote_types(first.dtype, second.dtype), torch.float32)
    time = first.shape[-1]
    return (
        first.to(dtype).reshape(-1, time).contiguous(),
        second.to(dtype).reshape(-1, time).contiguous(),
    )


def check(**tensors: Float[Tensor, "... time"]) -> None:
    """Check two tensors, given by the names that a message is to call them.

    Raises:
        ValueError: shapes or devices that differ; a memory without an entry.
        TypeError: integers.
    """
    (one, first), (other, second) = tensors.items()
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise TypeError(f"{name} must be of floating point numbers, not {tensor.dtype}")
    if first.shape != second.shape or first.dim() == 0 or first.shape[-1] == 0:
        raise ValueError(
            f"{one} and {other} must have one shape (..., time) with time above 0, not "
            f"{tuple(first.shape)} and {tuple(second.shape)}"
        )
    if first.device != second.device:
        raise ValueError(f"{one} is on {first.device} and {other} on {second.device}: move one")
