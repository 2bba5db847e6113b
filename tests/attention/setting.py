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


def take(table: np.ndarray, i: int, j: int) -> float:
    """An energy function of (i, j) that reads a table."""
    return table[i, j]


def assert_all_cases(stops: Tensor, time: int) -> None:
    """That some scans stand still, some move, some pass the end from an entry before it."""
    moves = stops.diff(dim=1)
    assert ((moves == 0) & (stops[:, 1:] < time)).any()
    assert ((moves > 0) & (stops[:, 1:] < time)).any()
    assert ((moves > 0) & (stops[:, 1:] == time)).any()
    assert (stops[:, -2] == time).any()


def assert_hard_is_expected(mechanism: Attention) -> None:
    """Where every p is 0 or 1, through many outputs: the scan runs off the end and stays off."""
    module = make_binary(mechanism)
    utterances = [utterance(time, time) for time in (1, 5, 12, 12)]
    memory, asked = module.prepare(*padded(utterances)), queries(4, 40)
    expected, hard = (attend(module, memory, asked, mode) for mode in ("expected", "hard"))
    for soft_step, hard_step in zip(expected, hard, strict=True):
        torch.testing.assert_close(soft_step.weights, hard_step.weights, rtol=0, atol=1e-6)
        torch.testing.assert_close(soft_step.context, hard_step.context, rtol=0, atol=1e-5)
    assert (hard[0].state < 12).any()
    assert (hard[-1].weights == 0).all()
    # Beyond the end the head still says "stop" now and then; it must not be heard.
    assert any((step.logits[2] >= 0).any() for step in expected[-10:])


def assert_future_is_unheard(mechanism: Attention) -> None:
    """That no output depends on an entry after the one where its scan stops.

    A scan that attends to nothing has read the whole memory.
    """
    mechanism.eval()
    values, valid = padded([utterance(12, seed) for seed in range(8)])
    asked = queries(8, 15)
    steps = attend(mechanism, mechanism.prepare(values, valid), asked, "hard")
    read = [torch.where((step.weights > 0).any(1), step.state, 12) for step in steps]
    stops = torch.stack(read, 1).cummax(1).values
    assert_all_cases(stops, 12)
    other = 3 * torch.randn(values.shape, generator=torch.Generator().manual_seed(300))
    for i, stop in enumerate(stops.unbind(1)):
        after = torch.arange(12) > stop.unsqueeze(1)
        changed = torch.where(after.unsqueeze(-1), other, values)
        again = attend(mechanism, mechanism.prepare(changed, valid), asked[: i + 1], "hard")
        for step, before in zip(again, steps[: i + 1], strict=True):
            torch.testing.assert_close(step.weights, before.weights, rtol=0, atol=1e-6)
            torch.testing.assert_close(step.context, before.context, rtol=0, atol=1e-6)
            assert torch.equal(step.state, before.state)


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
