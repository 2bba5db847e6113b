"""The two energy functions are the paper's equations."""

from itertools import product

import pytest
import torch
from torch import Tensor

from attention.setting import (
    ENERGY_DIM,
    MEMORY_DIM,
    QUERY_DIM,
    energy_table,
    queries,
    utterance,
)
from mocha_lightning.attention.energy import AdditiveEnergy, NormalisedEnergy


@pytest.mark.parametrize("kind", [AdditiveEnergy, NormalisedEnergy])
def test_energies_are_those_of_the_equation(kind: type[AdditiveEnergy]) -> None:
    torch.manual_seed(0)
    energy = kind(MEMORY_DIM, QUERY_DIM, ENERGY_DIM).double()
    memory, asked = utterance(7, dtype=torch.double), queries(1, 3, dtype=torch.double)
    keys = energy.project(memory.unsqueeze(0))
    found = torch.cat([energy(query, keys) for query in asked])
    expected = torch.from_numpy(energy_table(energy, memory, asked))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_a_batch_is_its_utterances_one_by_one() -> None:
    energy = NormalisedEnergy(MEMORY_DIM, QUERY_DIM, ENERGY_DIM)
    values, (query,) = torch.stack([utterance(4, seed) for seed in range(3)]), queries(3, 1)
    together = energy(query, energy.project(values))
    assert together.shape == (3, 4)
    for row, j in product(range(3), range(4)):
        key = energy.project(values[row : row + 1, j : j + 1])
        torch.testing.assert_close(together[row, j], energy(query[row : row + 1], key)[0, 0])


def test_gain_starts_at_one_over_the_root_of_d() -> None:
    assert NormalisedEnergy(2, 2, 16).g.item() == pytest.approx(0.25)
    assert NormalisedEnergy(2, 2, 16, gain=2).g.item() == 2
    assert NormalisedEnergy(2, 2, 16, gain=0).g.item() == 0


def test_the_length_of_v_does_not_change_a_normalised_energy() -> None:
    energy = NormalisedEnergy(MEMORY_DIM, QUERY_DIM, ENERGY_DIM, gain=3)
    torch.testing.assert_close(energy.direction().norm(), torch.tensor(3.0))
    before = energy.direction().detach().clone()
    with torch.no_grad():
        energy.v.mul_(7)
    torch.testing.assert_close(energy.direction(), before)


def test_sizes_of_the_paper() -> None:
    """W_h, W_s, b and v; and g for the normalised one."""
    additive = sum(p.numel() for p in AdditiveEnergy(256, 256, 128).parameters())
    normalised = sum(p.numel() for p in NormalisedEnergy(256, 256, 128).parameters())
    assert additive == 128 * (256 + 256) + 128 + 128
    assert normalised == additive + 1


@pytest.mark.parametrize("kind", [AdditiveEnergy, NormalisedEnergy])
def test_gradients_are_those_of_the_equation(kind: type[AdditiveEnergy]) -> None:
    torch.manual_seed(0)
    energy = kind(MEMORY_DIM, QUERY_DIM, ENERGY_DIM).double()
    values, (query,) = utterance(4, dtype=torch.double), queries(1, 1, dtype=torch.double)
    given = values.unsqueeze(0).requires_grad_(), query.requires_grad_(), *energy.parameters()
    assert torch.autograd.gradcheck(lambda h, s, *_: energy(s, energy.project(h)), given)


def test_float32_is_float64_but_for_rounding() -> None:
    energy = NormalisedEnergy(MEMORY_DIM, QUERY_DIM, ENERGY_DIM)
    values, (query,) = torch.stack([utterance(9, seed) for seed in range(3)]), queries(3, 1)
    gradients = []
    for dtype in (torch.float32, torch.float64):
        energy.to(dtype).zero_grad()
        given = [x.detach().to(dtype).requires_grad_() for x in (values, query)]
        energies = energy(given[1], energy.project(given[0]))
        (energies * torch.linspace(0, 1, 9)).sum().backward()
        gradients.append([energies, *(x.grad.clone() for x in (*given, *energy.parameters()))])
    for found, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(found, expected, check_dtype=False, rtol=1e-4, atol=1e-5)


def test_an_energy_is_not_differentiated_twice() -> None:
    energy = AdditiveEnergy(MEMORY_DIM, QUERY_DIM, ENERGY_DIM)
    (query,) = queries(1, 1)
    energies = energy(query.requires_grad_(), energy.project(utterance(4).unsqueeze(0)))
    with pytest.raises(RuntimeError, match="can be differentiated once"):
        torch.autograd.grad(energies.sum(), query, create_graph=True)


@pytest.mark.parametrize("kind", [AdditiveEnergy, NormalisedEnergy])
@pytest.mark.parametrize(("memories", "asked"), [(1, 3), (3, 1), (3, 3)])
def test_one_memory_serves_many_queries_and_one_query_many(
    kind: type[AdditiveEnergy], memories: int, asked: int
) -> None:
    energy = kind(MEMORY_DIM, QUERY_DIM, ENERGY_DIM)
    values = torch.stack([utterance(4, seed) for seed in range(memories)])
    (query,) = queries(asked, 1)
    found = energy(query, energy.project(values))
    expected = energy(query.expand(3, -1), energy.project(values.expand(3, -1, -1)))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("kind", [AdditiveEnergy, NormalisedEnergy])
def test_sizes_that_do_not_fit_are_refused(kind: type[AdditiveEnergy]) -> None:
    energy = kind(MEMORY_DIM, QUERY_DIM, ENERGY_DIM)
    keys = energy.project(torch.stack([utterance(4, seed) for seed in range(3)]))
    with pytest.raises(RuntimeError, match="size of tensor"):
        energy(queries(2, 1)[0], keys)


def test_types_that_differ_are_computed_in_the_wider() -> None:
    energy = AdditiveEnergy(MEMORY_DIM, QUERY_DIM, ENERGY_DIM)
    keys, (query,) = energy.project(utterance(4).unsqueeze(0)), queries(1, 1)
    expected = energy(query, keys)
    shift = energy.query_projection(query).double()
    found = energy.shifted(shift, keys._replace(direction=keys.direction.double()))
    assert found.dtype == torch.double
    torch.testing.assert_close(found.float(), expected)


def test_gradients_of_many_entries_are_exact() -> None:
    torch.manual_seed(0)
    energy = AdditiveEnergy(MEMORY_DIM, QUERY_DIM, ENERGY_DIM)
    values, query = torch.randn(8, 10_000, MEMORY_DIM) + 1, torch.randn(8, QUERY_DIM)
    grad = torch.rand(8, 10_000)

    def gradients(energy: AdditiveEnergy, dtype: torch.dtype) -> list[Tensor]:
        projected = energy.project(values.to(dtype))
        wanted = (projected.direction, energy.query_projection.weight)
        found = energy(query.to(dtype), projected)
        return list(torch.autograd.grad(found, wanted, grad.to(dtype)))

    found = gradients(energy, torch.float32)
    for one, exact in zip(found, gradients(energy.double(), torch.double), strict=True):
        error = (one - exact).abs().max() / exact.abs().max()
        assert error < 2e-6
