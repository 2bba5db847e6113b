"""The two energy functions: how well memory entry h_j answers the query s_{i-1}.

Both project the memory once per utterance (``project``: the keys W_h h_j + b) and then cost, per
output, one projection of the query, a tanh and a product with v.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class AdditiveEnergy(nn.Module):
    """v^T tanh(W_h h_j + W_s s_{i-1} + b): the paper's eq. ``std_energy`` (Bahdanau et al. 2015).

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

    def project(
        self, memory: Float[Tensor, "batch time memory_dim"]
    ) -> Float[Tensor, "batch time energy_dim"]:
        """The keys W_h h_j + b, which do not depend on the query."""
        keys: Tensor = self.memory_projection(memory)
        return keys

    def forward(
        self,
        query: Float[Tensor, "batch query_dim"],
        keys: Float[Tensor, "batch time energy_dim"],
    ) -> Float[Tensor, "batch time"]:
        """e_{i,:} for every key."""
        hidden = torch.tanh(keys + self.query_projection(query).unsqueeze(1))
        return hidden @ self.direction()

    def direction(self) -> Float[Tensor, " energy_dim"]:
        """The vector that tanh(...) is multiplied with: v."""
        return self.v


class NormalisedEnergy(AdditiveEnergy):
    """g v^T/||v|| tanh(W_h h_j + W_s s_{i-1} + b): eq. ``monotonic_energy`` without its r.

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
