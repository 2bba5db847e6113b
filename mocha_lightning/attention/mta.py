"""Monotonic truncated attention (Miao et al. 2020)."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.attention.alignment import monotonic_alignment
from mocha_lightning.attention.base import Attended, Memory
from mocha_lightning.attention.scanning import ScanningAttention


def truncation_alignment(logits: Float[Tensor, "... time"]) -> Float[Tensor, "... time"]:
    """a_{i,j} = p_{i,j} prod_{k=1}^{j-1} (1 - p_{i,k}): Miao et al.'s eq. 31.

    The probability that a scan from the memory's first entry stops at j, whatever the output
    before did: :func:`monotonic_alignment` with alpha_{i-1} certain of the first entry.

    Args:
        logits: e_{i,:}, before the sigmoid; padding is -inf.

    Returns:
        a_{i,:}, differentiable once.
    """
    start = torch.zeros_like(logits)
    start[..., 0] = 1
    return monotonic_alignment(logits, start)


class MTA(ScanningAttention):
    """Attends with the probability of stopping at each entry up to where the head stops.

    Miao et al., *Online Hybrid CTC/Attention End-to-End Automatic Speech Recognition
    Architecture* (IEEE/ACM TASLP 28, 2020; arXiv:2307.02351), eqs. 28 to 33, and the authors'
    code (github.com/HaoranMiao/streaming-attention, commit 638e787):

    - training: c_i = sum_{j=1}^{T} a_{i,j} h_j, with a_i of :func:`truncation_alignment`. No
      output depends on where the one before it stopped, so no mass is lost along the outputs.
    - testing: t_i is found by scanning from t_{i-1}, and c_i = sum_{j=1}^{t_i} a_{i,j} h_j with
      the same a_i, not scaled to sum to 1. Training and testing differ only by what a_i holds
      after t_i, which is little where p is sharp.

    There is one energy function, so it has as many parameters as :class:`MonotonicAttention`,
    whose arguments it takes. Online, but each output weighs all that has been read.

    Where the scan finds no place to stop, the context is zero and, unlike with the other
    mechanisms, the next output scans from t_{i-1} again: so the authors' code, and nothing in
    this training recurrence says otherwise.

    ``state`` in expectation is alpha_i, where the scan for t_i stops; the weights do not depend
    on it.
    """

    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """a_i (eq. 33)."""
        return truncation_alignment(logits)

    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch some"], Int[Tensor, "batch some"]]:
        """a_i up to t_i (eq. 32)."""
        found = stop < memory.lengths
        # The entries up to the batch's last stop, and no energy of any other.
        count = int(torch.where(found, stop, 0).max()) + 1
        entries = torch.arange(count, device=stop.device).expand(len(stop), -1)
        rows = torch.arange(len(stop), device=stop.device).unsqueeze(1)
        read = (entries <= stop.unsqueeze(1)) & found.unsqueeze(1)
        logits = self.head.logits(query, memory.keys[0].at(rows, entries), read)
        return truncation_alignment(logits), entries

    def attend(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> Attended:
        """As with other mechanisms, but t_{i-1} stays where it is if the scan finds no t_i."""
        attended = super().attend(query, memory, previous, stop)
        return attended._replace(state=torch.where(stop < memory.lengths, stop, previous))
