"""What all mechanisms that attend softly to a chunk share: a second energy, and the chunk's end."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.energy import NormalisedEnergy
from mocha_lightning.attention.scanning import ScanningAttention
from mocha_lightning.attention.windows import window_softmax


class ChunkwiseAttention(ScanningAttention):
    """Softmax over a chunk that ends where a monotonic head stops (section 2.4).

    A mechanism says where its chunks begin, in expectation and at test time. The softmax is over
    u_{i,k}, an energy function of its own (``ChunkEnergy``).

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, of both energy functions.
        offset, gain, noise_std, noise_ramp, gain_rate: see :class:`ScanningAttention`.

    Raises:
        ValueError: a negative noise, ramp or rate.
    """

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        *,
        offset: float = -4.0,
        gain: float | None = None,
        noise_std: float = 1.0,
        noise_ramp: int = 0,
        gain_rate: float = 1.0,
    ) -> None:
        super().__init__(
            memory_dim,
            query_dim,
            energy_dim,
            offset=offset,
            gain=gain,
            noise_std=noise_std,
            noise_ramp=noise_ramp,
            gain_rate=gain_rate,
        )
        self.chunk_energy = NormalisedEnergy(memory_dim, query_dim, energy_dim, gain)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Project the keys of both energies."""
        energies = self.head.energy, self.chunk_energy
        return Memory(values, valid, tuple(self.project(energy, values) for energy in energies))

    def chunk_energies(
        self, query: Float[Tensor, "batch query_dim"], memory: Memory
    ) -> Float[Tensor, "batch time"]:
        """u_{i,:} of the whole memory, -inf at padding (eq. 24)."""
        return torch.where(memory.valid, self.chunk_energy(query, memory.keys[1]), -torch.inf)

    def chunk_softmax(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        first: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch some"], Int[Tensor, "batch some"]]:
        """Algorithm 1, lines 7 to 11: softmax over the entries from ``first`` to t_i.

        No energy outside the batch's longest chunk is evaluated. Where the scan has passed the
        memory's end, the weights are zero.
        """
        first = torch.where(stop < memory.lengths, first, stop + 1)
        return window_softmax(self.chunk_energy, query, memory, memory.keys[1], first, stop)
