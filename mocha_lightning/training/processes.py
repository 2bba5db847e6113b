"""What processes that train one model compute over all of them.

In a run of one process each function gives back what it was given, to the last bit.
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, TypeVar, cast

import torch
from torch import Tensor
from torch import distributed as group

Item = TypeVar("Item")


def processes() -> int:
    """How many train together."""
    return group.get_world_size() if group.is_initialized() else 1


def total(part: Tensor) -> Tensor:
    """The sum over all processes, differentiable where the parts are."""
    if processes() == 1:
        return part
    whole: Tensor = _Total.apply(part)  # type: ignore[no-untyped-call]
    return whole


def weighed(mean: Tensor, count: Tensor) -> Tensor:
    """A mean over a process's part of a batch, with the weight that it has among the parts.

    The average over the processes, which is what becomes of losses and of gradients, is then the
    mean over all that the parts count together. Without weights, a process whose part has few
    labels would have them count for more.

    Args:
        mean: over what this process counts; 0 where that is nothing.
        count: of it.
    """
    if processes() == 1:
        return mean
    return mean * (count * processes() / total(count).clamp_min(1))


def in_order(own: Sequence[Item]) -> list[Item]:
    """What all processes have of the batches of a split, in the order of the batches.

    Args:
        own: a thing for each batch that :meth:`Share.of_evaluation` gave this process.
    """
    if processes() == 1:
        return list(own)
    gathered: list[Any] = [None] * processes()
    group.all_gather_object(gathered, list(own))
    nothing = object()
    rows = zip_longest(*gathered, fillvalue=nothing)
    return [item for row in rows for item in row if item is not nothing]


def of_first(own: Callable[[], Item]) -> Item:
    """What the first process has, which alone is asked for it; the others are told."""
    if processes() == 1:
        return own()
    told = [own() if group.get_rank() == 0 else None]
    group.broadcast_object_list(told, src=0)
    return cast(Item, told[0])


class _Total(torch.autograd.Function):
    """A sum over processes: what its result moves anywhere moves every part."""

    @staticmethod
    def forward(_: Any, part: Tensor) -> Tensor:
        return _summed(part)

    @staticmethod
    def backward(_: Any, grad: Tensor) -> Tensor:
        return _summed(grad)


def _summed(part: Tensor) -> Tensor:
    whole = part.clone(memory_format=torch.contiguous_format)
    group.all_reduce(whole)
    return whole
