"""Soft attention within a moving window (Chorowski et al. 2015)."""

from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention.base import Attended, Attention, Memory, context_of
from mocha_lightning.attention.energy import AdditiveEnergy
from mocha_lightning.attention.head import start_position
from mocha_lightning.attention.kernels.reference import linear_recurrence
from mocha_lightning.attention.sizes import check_size
from mocha_lightning.attention.windows import window_softmax


class WindowedAttention(Attention):
    """Soft attention over a fixed number of entries around where the last output attended.

    Chorowski et al., *Attention-Based Models for Speech Recognition* (2015). The MoChA paper
    (section 4) names it as the nearest relative of chunks: "a fixed-sized window around the
    memory index of maximal attention probability at the previous output timestep", 150 entries
    wide. Window w around m holds the entries m - floor(w/2) to m - floor(w/2) + w - 1 that exist;
    the first window is around the first entry. Training and testing attend alike; where the
    window goes has no gradient. Decoding is linear, but must wait for the half of the window that
    lies ahead.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, the energy function's hidden dimensionality.
        width: entries of the window.
        centre: what the next window is centred on: the entry of maximal weight, as the MoChA
            paper tells it, or the median of the weights (the first entry up to which they hold
            half of their sum), as Chorowski et al. have it.

    Raises:
        ValueError: a width below 1; another centre.
    """

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        *,
        width: int = 150,
        centre: Literal["maximum", "median"] = "maximum",
    ) -> None:
        super().__init__()
        check_size("width", width)
        if centre not in ("maximum", "median"):
            raise ValueError(f"centre must be 'maximum' or 'median', not {centre!r}")
        self.width = width
        self.centre = centre
        self.energy = AdditiveEnergy(memory_dim, query_dim, energy_dim)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Project the keys."""
        return Memory(values, valid, (self.energy.project(values),))

    def expected_start(self, memory: Memory) -> Int[Tensor, " batch"]:
        """The first window's centre: the first entry."""
        return start_position(memory.values)

    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Int[Tensor, " batch"],
    ) -> Attended:
        """Softmax over the window around ``state``, and the next window's centre."""
        first = state - self.width // 2
        last = first + self.width - 1
        weights, entries = window_softmax(self.energy, query, memory, memory.keys[0], first, last)
        context = context_of(weights, memory, entries)
        return Attended(context, weights, self._next_centre(weights, entries), entries=entries)

    def _next_centre(
        self, weights: Float[Tensor, "batch width"], entries: Int[Tensor, "batch width"]
    ) -> Int[Tensor, " batch"]:
        if self.centre == "maximum":
            place = weights.argmax(-1)
        else:
            # Not torch.cumsum, which has no deterministic form on CUDA.
            cumulative = linear_recurrence(torch.ones_like(weights), weights.detach())
            place = (cumulative < cumulative[:, -1:] / 2).sum(-1)
        return entries.gather(1, place.unsqueeze(1)).squeeze(1)
