"""Small memories, queries and mechanisms, and the oracles' energies of a mechanism's weights."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
import torch
from oracles.attention import additive_energy, monotonic_energy
from torch import Tensor, nn

from mocha_lightning.attention import (
    MTA,
    AdaptiveMoChA,
    Attended,
    Attention,
    CoverageAttention,
    LocalMonotonicAttention,
    MAtChA,
    Memory,
    MILk,
    MoChA,
    MonotonicAttention,
    NoAttention,
    SoftAttention,
    UniformAttention,
    WindowedAttention,
)
from mocha_lightning.attention.energy import AdditiveEnergy, NormalisedEnergy

MEMORY_DIM, QUERY_DIM, ENERGY_DIM = 6, 5, 16

MIXED = {"gain": 3.0, "offset": -1.0, "noise_std": 0.0}
"""A head whose selection probabilities lie on both sides of 0.5."""

HEADED = {
    "monotonic": partial(MonotonicAttention, **MIXED),
    "mocha_w2": partial(MoChA, **MIXED, chunk_size=2),
    "mocha_w5": partial(MoChA, **MIXED, chunk_size=5),
    "adaptive_mocha": partial(AdaptiveMoChA, **MIXED, chunk_sizes=(1, 2, 5)),
    "matcha": partial(MAtChA, **MIXED),
    "milk": partial(MILk, **MIXED),
    "mta": partial(MTA, **MIXED),
}
"""Mechanisms with a monotonic head."""

MECHANISMS = {
    "soft": SoftAttention,
    "coverage": CoverageAttention,
    "windowed": partial(WindowedAttention, width=4),
    "windowed_median": partial(WindowedAttention, width=5, centre="median"),
    "local": partial(LocalMonotonicAttention, entries_per_output=1.5, half_width=2),
    "uniform": UniformAttention,
    "none": NoAttention,
    **HEADED,
}


def build(factory: Callable[..., Attention], seed: int = 0, **arguments) -> Attention:
    torch.manual_seed(seed)
    return factory(MEMORY_DIM, QUERY_DIM, ENERGY_DIM, **arguments)


class BinaryHead(nn.Module):
    """In place of a mechanism's head: each p is 0 or 1, drawn by query, one in four a stop.

    So the same query gets the same answer in either mode.
    """

    def __init__(self, size: float) -> None:
        super().__init__()
        self.size = size

    def scan(self, query: Tensor, keys: Tensor, lengths: Tensor, position: Tensor) -> Tensor:
        valid = torch.arange(int(lengths.max())) < lengths.unsqueeze(1)
        stops = []
        for row, start in zip(self(query, keys, valid), position.tolist(), strict=True):
            later = [j for j in range(start, len(row)) if row[j] >= 0]
            stops.append(later[0] if later else None)
        ends = zip(stops, lengths.tolist(), strict=True)
        return torch.tensor([end if stop is None else stop for stop, end in ends])

    def forward(self, query: Tensor, keys: Tensor, valid: Tensor) -> Tensor:
        return self.logits(query, keys, valid)

    def logits(self, query: Tensor, keys: Tensor, valid: Tensor) -> Tensor:
        rows = []
        for q in query:
            generator = torch.Generator().manual_seed(abs(hash(tuple(q.tolist()))) % 2**32)
            stop = torch.rand(valid.shape[1], generator=generator) < 0.25
            rows.append(torch.where(stop, self.size, -self.size))
        return torch.stack(rows).masked_fill(~valid, -torch.inf)


def make_binary(mechanism: Attention, size: float = torch.inf) -> Attention:
    """Make every selection probability exactly 0 or 1: sigmoid(+-size)."""
    binary = BinaryHead(size)
    binary.energy = mechanism.head.energy
    mechanism.head = binary
    return mechanism


def utterance(time: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    generator = torch.Generator().manual_seed(100 + seed)
    return 3 * torch.randn(time, MEMORY_DIM, generator=generator, dtype=dtype)


def padded(utterances: Sequence[Tensor], extra: int = 0) -> tuple[Tensor, Tensor]:
    """A batch with zeros after each utterance's end, and which entries are not padding."""
    lengths = torch.tensor([len(u) for u in utterances])
    values = torch.zeros(len(utterances), int(lengths.max()) + extra, MEMORY_DIM).to(utterances[0])
    for row, u in enumerate(utterances):
        values[row, : len(u)] = u
    return values, torch.arange(values.shape[1]) < lengths.unsqueeze(1)


def queries(batch: int, outputs: int, seed: int = 0, dtype=torch.float32) -> list[Tensor]:
    """s_{i-1} for each output, as if the decoder did not depend on what it attends to."""
    generator = torch.Generator().manual_seed(200 + seed)
    drawn = 2 * torch.randn(batch, outputs, QUERY_DIM, generator=generator, dtype=dtype)
    return list(drawn.unbind(1))


def attend(
    mechanism: Attention, memory: Memory, queries: list[Tensor], mode: str
) -> list[Attended]:
    """One step for each query; weights are those of all entries."""
    hard = mode == "hard"
    state = mechanism.hard_start(memory) if hard else mechanism.expected_start(memory)
    step = mechanism.hard_step if hard else mechanism.expected_step
    steps = []
    for query in queries:
        attended = step(query, memory, state)
        weights = attended.over(memory.values.shape[1])
        steps.append(attended._replace(weights=weights, entries=None))
        state = attended.state
    return steps


def energy_oracle(energy: AdditiveEnergy, r: float = 0.0) -> Callable[..., float]:
    """The paper's energy as a function of (h_j, s_{i-1}), with the module's weights."""
    v, w_h, w_s, b = (
        parameter.detach().double().numpy()
        for parameter in (
            energy.v,
            energy.memory_projection.weight,
            energy.query_projection.weight,
            energy.memory_projection.bias,
        )
    )
    if isinstance(energy, NormalisedEnergy):
        return partial(monotonic_energy, energy.g.item(), r, v, w_h, w_s, b)
    return partial(additive_energy, v, w_h, w_s, b)


def energy_table(
    energy: AdditiveEnergy, memory: Tensor, queries: list[Tensor], r: float = 0.0
) -> np.ndarray:
    """Energies of one utterance, (outputs, time)."""
    function = energy_oracle(energy, r)
    return np.array([[function(h, s[0].numpy()) for h in memory.numpy()] for s in queries])


@contextmanager
def counting(energy: AdditiveEnergy) -> Iterator[list[int]]:
    """The number of energies of each evaluation."""
    counts: list[int] = []
    evaluate = energy.shifted

    def counted(shift: Tensor, keys) -> Tensor:
        energies = evaluate(shift, keys)
        counts.append(energies.numel())
        return energies

    energy.shifted = counted
    yield counts
    energy.shifted = evaluate
