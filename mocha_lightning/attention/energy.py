"""The two energy functions: how well memory entry h_j answers the query s_{i-1}.

Both do once per utterance what does not depend on the query (``project``) and then cost, per
output, one projection of the query, a tanh and a product with v.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from mocha_lightning.attention.kernels import backend_for
from mocha_lightning.attention.once import differentiable_once


class Keys(NamedTuple):
    """What an energy function makes of a memory.

    Attributes:
        projected: W_h h_j + b.
        direction: what tanh(...) is multiplied with: v, or g v / ||v||.
    """

    projected: Float[Tensor, "batch time energy_dim"]
    direction: Float[Tensor, " energy_dim"]

    @staticmethod
    def joined(parts: Sequence["Keys"]) -> "Keys":
        """The keys of memories that follow one another."""
        return Keys(torch.cat([part.projected for part in parts], 1), parts[0].direction)

    def at(self, rows: Int[Tensor, "*some"], entries: Int[Tensor, "*some"]) -> "Keys":
        """The keys of some entries (of shape (n, some)) of the utterances ``rows``."""
        return Keys(self.projected[rows, entries], self.direction)


class LazyKeys(NamedTuple):
    """Keys that are projected when they are asked for, entry by entry; for hard attention alone.

    Attributes:
        values: h.
        energy: whose keys they are.
        direction: as in :class:`Keys`.
    """

    values: Float[Tensor, "batch time memory_dim"]
    energy: "AdditiveEnergy"
    direction: Float[Tensor, " energy_dim"]

    @staticmethod
    def joined(parts: Sequence["LazyKeys"]) -> "LazyKeys":
        """The keys of memories that follow one another."""
        return parts[0]._replace(values=torch.cat([part.values for part in parts], 1))

    def at(self, rows: Int[Tensor, "*some"], entries: Int[Tensor, "*some"]) -> Keys:
        """Project the keys of some entries of the utterances ``rows``."""
        return Keys(self.energy.memory_projection(self.values[rows, entries]), self.direction)


@dataclass(frozen=True)
class SharedKeys:
    """The keys of rows that share utterances, as a beam's hypotheses do.

    A row's keys are copied, once, when all of them are asked for (expected attention); those of
    some entries (hard attention) are taken from where they are.

    Attributes:
        keys: of the utterances.
        rows: which utterance each row is.
    """

    keys: "AnyKeys"
    rows: Int[Tensor, " rows"]

    @cached_property
    def projected(self) -> Float[Tensor, "rows time energy_dim"]:
        """W_h h_j + b of every row."""
        assert isinstance(self.keys, Keys)  # the lazy ones are for hard attention alone
        return self.keys.projected[self.rows]

    @property
    def direction(self) -> Float[Tensor, " energy_dim"]:
        """As in :class:`Keys`."""
        return self.keys.direction

    def at(self, rows: Int[Tensor, "*some"], entries: Int[Tensor, "*some"]) -> Keys:
        """The keys of some entries of some of the rows."""
        return self.keys.at(self.rows[rows], entries)


AnyKeys = Keys | LazyKeys | SharedKeys
"""All have those of some entries (``at``), which is what hard attention asks for."""


class AdditiveEnergy(nn.Module):
    """v^T tanh(W_h h_j + W_s s_{i-1} + b): the paper's eq. 5 (Bahdanau et al. 2015).

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, the hidden dimensionality (128 for speech, 1024 for summaries in the paper).
    """

    def __init__(self, memory_dim: int, query_dim: int, energy_dim: int) -> None:
        super().__init__()
        self.memory_projection = nn.Linear(memory_dim, energy_dim)
        self.query_projection = nn.Linear(query_dim, energy_dim, bias=False)
        self.v = nn.Parameter(torch.empty(energy_dim).uniform_(-1, 1) * energy_dim**-0.5)

    def project(self, memory: Float[Tensor, "batch time memory_dim"]) -> Keys:
        """What does not depend on the query."""
        return Keys(self.memory_projection(memory), self.direction())

    def project_lazily(self, memory: Float[Tensor, "batch time memory_dim"]) -> LazyKeys:
        """The same for hard attention that may not come to the memory's end."""
        return LazyKeys(memory, self, self.direction())

    def forward(
        self, query: Float[Tensor, "batch query_dim"], keys: Keys | SharedKeys
    ) -> Float[Tensor, "batch time"]:
        """e_{i,:} for every key.

        Raises:
            TypeError: keys that are projected lazily, which hard attention asks for one by one.
        """
        if isinstance(keys, LazyKeys):
            raise TypeError(
                "keys that are projected lazily serve hard attention alone: set keys_projected "
                "to 'once' before prepare()"
            )
        return self.shifted(self.query_projection(query), keys)

    def shifted(
        self, shift: Float[Tensor, "batch energy_dim"], keys: Keys | SharedKeys
    ) -> Float[Tensor, "batch time"]:
        """e_{i,:} given W_s s_{i-1}."""
        projected, direction = keys.projected, keys.direction
        plain = torch.compiler.is_compiling() or torch.is_autocast_enabled(shift.device.type)
        if plain or not _fit(projected, shift, direction):
            return torch.tanh(projected + shift.unsqueeze(1)) @ direction
        energies: Tensor = _TanhEnergy.apply(projected, shift, direction)  # type: ignore[no-untyped-call]
        return energies

    def direction(self) -> Float[Tensor, " energy_dim"]:
        """The vector that tanh(...) is multiplied with: v."""
        return self.v


class NormalisedEnergy(AdditiveEnergy):
    """g v^T/||v|| tanh(W_h h_j + W_s s_{i-1} + b): eq. 13 without its r.

    The offset r belongs to the monotonic head (:class:`MonotonicHead`): in a chunk's softmax it
    would cancel and never see a gradient.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d.
        gain: initial g; None is the paper's 1/sqrt(d).
    """

    def __init__(
        self, memory_dim: int, query_dim: int, energy_dim: int, gain: float | None = None
    ) -> None:
        super().__init__(memory_dim, query_dim, energy_dim)
        self.g = nn.Parameter(torch.tensor(energy_dim**-0.5 if gain is None else float(gain)))

    def direction(self) -> Float[Tensor, " energy_dim"]:
        """The same, of length g whatever the length of v: g v / ||v||."""
        direction: Tensor = self.g * F.normalize(self.v, dim=0)
        return direction


def _fit(projected: Tensor, shift: Tensor, direction: Tensor) -> bool:
    """Whether a kernel, which reads what their sizes say, can take these.

    PyTorch broadcasts the rest, as one memory for all hypotheses of a search, or says what is
    wrong.
    """
    return (
        projected.dim() == 3
        and shift.shape == (projected.shape[0], projected.shape[2])
        and direction.shape == (projected.shape[2],)
        and projected.dtype == shift.dtype == direction.dtype
        and projected.device == shift.device == direction.device
    )


class _TanhEnergy(torch.autograd.Function):
    """direction^T tanh(projected_j + shift) as one operation, which keeps nothing of its own."""

    @staticmethod
    def forward(ctx: Any, projected: Tensor, shift: Tensor, direction: Tensor) -> Tensor:
        given = projected.contiguous(), shift.contiguous(), direction.contiguous()
        ctx.save_for_backward(*given)
        ctx.backend = backend_for(projected)
        energies: Tensor = ctx.backend.tanh_energy(*given)
        return energies

    @staticmethod
    @differentiable_once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        by: tuple[Tensor, Tensor, Tensor]
        by = ctx.backend.tanh_energy_backward(*ctx.saved_tensors, grad.contiguous())
        return by
