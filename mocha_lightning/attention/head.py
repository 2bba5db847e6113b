"""The monotonic head: where to stop. Shared by every mechanism that scans the memory once."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mocha_lightning.attention.energy import AnyKeys, Keys, NormalisedEnergy
from mocha_lightning.errors import NotANumberError


class MonotonicHead(nn.Module):
    """Scans the memory from where it last stopped, and stops where p_{i,j} = sigmoid(e_{i,j}) says.

    e_{i,j} = g v^T/||v|| tanh(W_s s_{i-1} + W_h h_j + b) + r (eq. 13), with
    Gaussian noise added in training only, fresh for each (i, j) (eq. 21), so that
    the model learns to make p binary.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d.
        offset: initial r. Negative: the head first skips most entries.
        gain: initial g; None is the paper's 1/sqrt(d).
        noise_std: standard deviation of the pre-sigmoid noise; the paper's is 1.
        noise_ramp: training steps over which the noise grows linearly to ``noise_std``; the
            paper has none (0).

    Raises:
        ValueError: a negative noise or ramp.
    """

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        offset: float,
        gain: float | None,
        noise_std: float,
        noise_ramp: int,
    ) -> None:
        super().__init__()
        if noise_std < 0 or noise_ramp < 0:
            raise ValueError(
                f"noise_std and noise_ramp cannot be negative: {noise_std}, {noise_ramp}"
            )
        self.energy = NormalisedEnergy(memory_dim, query_dim, energy_dim, gain)
        self.r = nn.Parameter(torch.tensor(float(offset)))
        self.noise_std = noise_std
        self.noise_ramp = noise_ramp
        self.current_noise_std = 0.0 if noise_ramp else noise_std

    def begin_update(self, step: int) -> None:
        """Set the noise of training step ``step`` (updates made so far)."""
        share = min(1.0, step / self.noise_ramp) if self.noise_ramp else 1.0
        self.current_noise_std = share * self.noise_std

    def forward(
        self,
        query: Float[Tensor, "batch query_dim"],
        keys: Keys,
        valid: Bool[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """The logits of p_{i,:} for expected attention: :meth:`logits`, with noise in training."""
        logits = self.logits(query, keys, valid)
        if self.training and self.current_noise_std > 0:
            logits = torch.add(logits, torch.randn_like(logits), alpha=self.current_noise_std)
        return logits

    def logits(
        self,
        query: Float[Tensor, "batch query_dim"],
        keys: Keys,
        valid: Bool[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """e_{i,:}, -inf (p = 0) at padding."""
        return torch.where(valid, self.energy(query, keys) + self.r, -torch.inf)

    def scan(
        self,
        query: Float[Tensor, "batch query_dim"],
        keys: AnyKeys,
        lengths: Int[Tensor, " batch"],
        position: Int[Tensor, " batch"],
    ) -> Int[Tensor, " batch"]:
        """t_i: the first entry at or after t_{i-1} with p_{i,j} >= 0.5 (Algorithm 1, lines 4-16).

        Entries are inspected one after the other, and the energy of no other is computed: over an
        utterance of T entries and U outputs at most T + U.

        Args:
            query: s_{i-1}.
            keys: of the memory.
            lengths: entries of each utterance.
            position: t_{i-1}.

        Returns:
            t_i, or the utterance's length where the scan has passed its end. That is final (a
            scan from there finds nothing), as in the expected recurrence, where lost mass never
            returns.

        Raises:
            NotANumberError: the energy of an entry is NaN, which neither stops nor passes.
        """
        shift, stop = self.energy.query_projection(query), position.clone()
        rows = torch.nonzero(stop < lengths).flatten()
        while len(rows):
            inspected = keys.at(rows.unsqueeze(1), stop[rows].unsqueeze(1))
            logits = (self.energy.shifted(shift[rows], inspected) + self.r).squeeze(1)
            if logits.isnan().any():
                row = int(rows[logits.isnan()][0])
                raise NotANumberError(
                    f"the logit is NaN in row {row} of {len(stop)} at entry {int(stop[row])}"
                )
            rows = rows[logits < 0]
            stop[rows] += 1
            rows = rows[stop[rows] < lengths[rows]]
        return stop


def start_alignment(values: Float[Tensor, "batch time memory_dim"]) -> Float[Tensor, "batch time"]:
    """alpha_0: certainty that the scan begins at the first entry (t_0 = 1 in Algorithm 1)."""
    batch, time, _ = values.shape
    return F.one_hot(torch.zeros(batch, dtype=torch.long, device=values.device), time).to(values)


def start_position(values: Float[Tensor, "batch time memory_dim"]) -> Int[Tensor, " batch"]:
    """t_0, counted from 0."""
    return torch.zeros(len(values), dtype=torch.long, device=values.device)
