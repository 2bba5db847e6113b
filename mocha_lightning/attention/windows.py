"""Softmax over a part of the memory, at the price of that part alone."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention.energy import AdditiveEnergy


def window_softmax(
    energy: AdditiveEnergy,
    query: Float[Tensor, "batch query_dim"],
    keys: Float[Tensor, "batch time energy_dim"],
    valid: Bool[Tensor, "batch time"],
    first: Int[Tensor, " batch"],
    last: Int[Tensor, " batch"],
) -> Float[Tensor, "batch time"]:
    """Softmax of the energies of the entries ``first`` to ``last``, both included.

    Entries outside the memory, and padding, are left out; a window without an entry gives 0.

    Args:
        energy: gives the energies, and is asked for no entry outside the batch's longest window.
        query: s_{i-1}.
        keys: what ``energy`` made of the memory.
        valid: True where an entry belongs to the utterance.
        first: each window's first entry, counted from 0; may lie before the memory.
        last: its last entry; may lie after the memory, or before ``first``.

    Returns:
        The weights, laid out over the whole memory and zero outside the window.
    """
    batch, time = valid.shape
    first, last = first.clamp_min(0), last.clamp_max(time - 1)
    width = max(0, int((last - first).max()) + 1)
    entries = first.unsqueeze(1) + torch.arange(width, device=first.device)
    inside = entries <= last.unsqueeze(1)
    entries = entries.clamp_max(time - 1)
    inside = inside & valid.gather(1, entries)
    keys = keys.gather(1, entries.unsqueeze(-1).expand(-1, -1, keys.shape[-1]))
    energies = energy(query, keys).masked_fill(~inside, -torch.inf)
    # Rows without an entry would be NaN.
    energies = energies.masked_fill(~inside.any(1, keepdim=True), 0.0)
    softmax = torch.softmax(energies, -1).masked_fill(~inside, 0.0)
    # Autocast may give the softmax another type than the memory.
    return softmax.new_zeros(batch, time).scatter_add(1, entries, softmax)
