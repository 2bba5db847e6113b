"""Softmax over a part of the memory, at the price of that part alone."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention.base import Memory
from mocha_lightning.attention.energy import AdditiveEnergy, AnyKeys
from mocha_lightning.attention.softmax import softmax


def window_softmax(
    energy: AdditiveEnergy,
    query: Float[Tensor, "batch query_dim"],
    memory: Memory,
    keys: AnyKeys,
    first: Int[Tensor, " batch"],
    last: Int[Tensor, " batch"],
) -> tuple[Float[Tensor, "batch width"], Int[Tensor, "batch width"]]:
    """Softmax of the energies of the entries ``first`` to ``last``, both included.

    Entries outside the utterance are left out; a window without an entry gives 0.

    Args:
        energy: gives the energies, and is asked for no entry outside the batch's longest window.
        query: s_{i-1}.
        memory: of the batch.
        keys: of the memory, those that ``energy`` has projected.
        first: each window's first entry, counted from 0; may lie before the memory.
        last: its last entry; may lie after the memory, or before ``first``.

    Returns:
        The weights, zero outside the window, and the entries that they belong to.
    """
    batch, time = memory.valid.shape
    first, last = first.clamp_min(0), torch.minimum(last, memory.lengths - 1)
    width = max(0, int((last - first).max()) + 1)
    entries = first.unsqueeze(1) + torch.arange(width, device=first.device)
    inside = entries <= last.unsqueeze(1)
    entries = entries.clamp_max(time - 1)
    rows = torch.arange(batch, device=first.device).unsqueeze(1)
    energies = energy(query, keys.at(rows, entries))
    energies = energies.masked_fill(~inside, -torch.inf)
    # Rows without an entry would be NaN.
    energies = energies.masked_fill(~inside.any(1, keepdim=True), 0.0)
    return softmax(energies).masked_fill(~inside, 0.0), entries
