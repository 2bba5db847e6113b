"""What is claimed of several mechanisms with a monotonic head, each held against its own oracle."""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import torch
from oracles.alignment import Sequence, alignment_by_starts
from oracles.attention import algorithm_1
from torch import Tensor

from attention.series import double, one_hot
from attention.setting import attend, energy_table, make_binary, padded, queries, utterance
from mocha_lightning.attention import Attended, Attention
from mocha_lightning.attention.chunkwise import ChunkwiseAttention


class Output(NamedTuple):
    """What the equation of output i is made of."""

    query: Tensor
    """s_{i-1}: (1, query_dim)."""
    e: Sequence
    """e_i."""
    u: Sequence
    """u_i, zero for a mechanism without chunks."""
    previous: Sequence
    """alpha_{i-1}."""
    alpha: Sequence
    """alpha_i."""


class Utterance(NamedTuple):
    """What a scan through one utterance is made of; outputs i are counted from 0."""

    memory: np.ndarray
    """h: (time, memory_dim)."""
    queries: list[Tensor]
    """s_{i-1}: (1, query_dim) each."""
    e: np.ndarray
    """e_{i,j}: (outputs, time)."""
    u: np.ndarray
    """u_{i,j}, zero for a mechanism without chunks: (outputs, time)."""


def as_the_oracle_sees_it(mechanism: Attention, memory: Tensor, asked: list[Tensor]) -> Utterance:
    e = energy_table(mechanism.head.energy, memory, asked, mechanism.head.r.item())
    chunkwise = isinstance(mechanism, ChunkwiseAttention)
    u = energy_table(mechanism.chunk_energy, memory, asked) if chunkwise else np.zeros_like(e)
    return Utterance(memory.numpy(), asked, e, u)


def assert_expected_steps(mechanism: Attention, weights: Callable[[Output], Sequence]) -> None:
    """That expected steps are e_i and alpha_i of the paper, and attend with these weights."""
    mechanism.double()
    memory, asked = utterance(9, dtype=torch.double), queries(1, 6, dtype=torch.double)
    steps = attend(mechanism, mechanism.prepare(*padded([memory])), asked, "expected")
    one = as_the_oracle_sees_it(mechanism, memory, asked)
    alpha = double(one_hot(9))
    for i, step in enumerate(steps):
        previous, alpha = alpha, alignment_by_starts(one.e[i], alpha)
        expected = weights(Output(asked[i], one.e[i], one.u[i], previous, alpha))
        np.testing.assert_allclose(step.logits[0].detach(), one.e[i], atol=1e-12)
        np.testing.assert_allclose(step.state[0].detach(), alpha, atol=1e-12)
        np.testing.assert_allclose(step.weights[0].detach(), expected, atol=1e-12)
        np.testing.assert_allclose(step.context[0].detach(), expected @ one.memory, atol=1e-12)
    assert 0.01 < alpha.sum() < 0.99


def assert_hard_steps(
    mechanism: Attention,
    process: Callable[[Utterance], tuple[list[Sequence], list[int]]],
    part: Literal["weights", "context"] = "weights",
) -> list[Attended]:
    """That hard steps are those of a process, through the end of the memory and beyond.

    ``process`` maps an utterance to its outputs' weights or contexts, and to where they stop.
    """
    mechanism.double()
    utterances = [utterance(12, seed, torch.double) for seed in range(8)]
    asked = queries(8, 30, dtype=torch.double)
    steps = attend(mechanism, mechanism.prepare(*padded(utterances)), asked, "hard")
    for row, memory in enumerate(utterances):
        own = [query[row : row + 1] for query in asked]
        expected, stops = process(as_the_oracle_sees_it(mechanism, memory, own))
        assert [step.state[row].item() for step in steps] == stops
        found = [double(getattr(step, part)[row]) for step in steps]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    return steps


def assert_algorithm_1(mechanism: Attention, chunk_size: int) -> None:
    """That hard steps are the paper's Algorithm 1."""

    def process(one: Utterance) -> tuple[list[Sequence], list[int]]:
        energies = partial(take, one.e), partial(take, one.u)
        return algorithm_1(one.memory, len(one.queries), chunk_size, *energies)

    steps = assert_hard_steps(mechanism, process, "context")
    assert_all_cases(stops_of(steps), 12)


def take(table: np.ndarray, i: int, j: int) -> float:
    """An energy function of (i, j) that reads a table."""
    return table[i, j]


def stops_of(steps: list[Attended]) -> Tensor:
    """t_i of hard steps: (batch, outputs)."""
    return torch.stack([step.state for step in steps], 1)


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


def assert_attend_alike(one: Attention, other: Attention, mode: str) -> None:
    """That two mechanisms with the same weights are the same in a mode."""
    batch, asked = padded([utterance(9), utterance(5, 1)]), queries(2, 8)
    pairs = zip(
        attend(one, one.prepare(*batch), asked, mode),
        attend(other, other.prepare(*batch), asked, mode),
        strict=True,
    )
    for a, b in pairs:
        torch.testing.assert_close(a.weights, b.weights, rtol=0, atol=1e-6)
        torch.testing.assert_close(a.context, b.context)
