"""What all alignments ask of their arguments."""

import torch
from jaxtyping import Float
from torch import Tensor


def as_rows(*tensors: Float[Tensor, "... time"]) -> tuple[Float[Tensor, "rows time"], ...]:
    """All sequences one below the other, of one type, float32 at least."""
    dtype = tensors[0].dtype
    for other in tensors[1:]:
        dtype = torch.promote_types(dtype, other.dtype)
    if dtype.itemsize < torch.float32.itemsize:
        dtype = torch.float32
    return tuple(_as_rows(each, dtype) for each in tensors)


def _as_rows(
    sequences: Float[Tensor, "... time"], dtype: torch.dtype
) -> Float[Tensor, "rows time"]:
    # What is so already is left alone: each of these costs as much as a short scan.
    if sequences.dtype != dtype:
        sequences = sequences.to(dtype)
    if sequences.dim() != 2:
        sequences = sequences.reshape(-1, sequences.shape[-1])
    return sequences.contiguous().resolve_neg()


def check_alike(**tensors: Float[Tensor, "... time"]) -> None:
    """Check that two tensors are alike, given by the names that a message is to call them.

    Raises:
        ValueError: shapes or devices that differ; a memory without an entry.
        TypeError: integers.
    """
    (one, first), (other, second) = tensors.items()
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise TypeError(f"{name} must be of floating point numbers, not {tensor.dtype}")
    shape = first.shape
    if shape != second.shape or not shape or shape[-1] == 0:
        raise ValueError(
            f"{one} and {other} must have one shape (..., time) with time above 0, not "
            f"{tuple(shape)} and {tuple(second.shape)}"
        )
    if first.device != second.device:
        raise ValueError(f"{one} is on {first.device} and {other} on {second.device}: move one")
