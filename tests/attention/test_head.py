"""The monotonic head: energies, the noise of training, and where the scan stops."""

import pytest
import torch
from torch import Tensor

from attention.setting import ENERGY_DIM, MEMORY_DIM, QUERY_DIM, energy_table, queries, utterance
from mocha_lightning.attention.head import (
    MonotonicHead,
    start_alignment,
    start_position,
)
from mocha_lightning.errors import NotANumberError


def head(**arguments) -> MonotonicHead:
    torch.manual_seed(0)
    defaults = {"offset": -4.0, "gain": None, "noise_std": 1.0, "noise_ramp": 0}
    return MonotonicHead(MEMORY_DIM, QUERY_DIM, ENERGY_DIM, **{**defaults, **arguments})


def logits_of(head: MonotonicHead, batch: int = 1, time: int = 7) -> Tensor:
    values = utterance(time).expand(batch, -1, -1)
    query = queries(1, 1)[0].expand(batch, -1)
    return head(query, head.energy.project(values), torch.ones(batch, time, dtype=torch.bool))


def noise_of(head: MonotonicHead) -> Tensor:
    """What a step of training adds to the energies."""
    noisy = logits_of(head.train(), batch=100, time=200)
    return noisy - logits_of(head.eval(), batch=100, time=200)


def test_logits_are_the_monotonic_energy() -> None:
    module = head(offset=-1.5).double().eval()
    memory, asked = utterance(7, dtype=torch.double), queries(1, 1, dtype=torch.double)
    expected = torch.from_numpy(energy_table(module.energy, memory, asked, r=-1.5))
    keys = module.energy.project(memory.unsqueeze(0))
    found = module(asked[0], keys, torch.ones(1, 7, dtype=torch.bool))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_offset_and_gain_start_as_set() -> None:
    assert head(offset=-4).r.item() == -4
    assert head(offset=0).r.item() == 0
    assert head().energy.g.item() == pytest.approx(ENERGY_DIM**-0.5)
    assert head(gain=2).energy.g.item() == 2


def test_padding_is_never_selected() -> None:
    module = head(noise_std=100.0).train()
    valid = torch.tensor([[True, True, False], [True, False, False]])
    values = torch.stack([utterance(3), utterance(3, 1)])
    logits = module(queries(2, 1)[0], module.energy.project(values), valid)
    assert torch.equal(logits == -torch.inf, ~valid)


def test_noise_has_the_deviation_that_was_set() -> None:
    noise = noise_of(head(noise_std=3.0))
    assert noise.mean().item() == pytest.approx(0, abs=0.1)
    assert noise.std().item() == pytest.approx(3, rel=0.03)


def test_noise_is_fresh_for_each_utterance_entry_and_output() -> None:
    module = head()
    first, second = noise_of(module), noise_of(module)
    assert first.std(0).mean().item() == pytest.approx(1, rel=0.05)
    assert first.std(1).mean().item() == pytest.approx(1, rel=0.05)
    assert abs((first * second).mean().item()) < 0.05


def test_there_is_no_noise_outside_training() -> None:
    module = head(noise_std=6.0).eval()
    torch.manual_seed(1)
    first = logits_of(module)
    assert torch.equal(first, logits_of(module))
    assert torch.equal(first, logits_of(head(noise_std=0.0).eval()))


def test_noise_grows_over_the_ramp() -> None:
    module = head(noise_std=6.0, noise_ramp=600)
    assert noise_of(module).std().item() == 0  # before the first update
    for step, std in [(0, 0), (150, 1.5), (300, 3), (600, 6), (10_000, 6), (150, 1.5)]:
        module.begin_update(step)
        assert noise_of(module).std().item() == pytest.approx(std, rel=0.03)


def test_without_a_ramp_the_noise_is_there_from_the_first_step() -> None:
    module = head(noise_std=2.0)
    assert noise_of(module).std().item() == pytest.approx(2, rel=0.03)
    module.begin_update(0)
    assert noise_of(module).std().item() == pytest.approx(2, rel=0.03)


@pytest.mark.parametrize("wrong", [{"noise_std": -1.0}, {"noise_ramp": -1}])
def test_noise_cannot_be_negative(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        head(**wrong)


def test_the_scan_begins_at_the_first_entry() -> None:
    values = torch.zeros(2, 3, MEMORY_DIM, dtype=torch.double)
    alpha = start_alignment(values)
    assert alpha.dtype == torch.double
    assert alpha.tolist() == [[1, 0, 0], [1, 0, 0]]
    assert start_position(values).tolist() == [0, 0]


def test_the_scan_stops_at_the_first_entry_that_algorithm_1_does() -> None:
    """From any entry, in utterances of any length, past the end and from there."""
    module = head(offset=-1.0, gain=3.0).eval()
    lengths = torch.tensor([9, 1, 5, 9])
    values = torch.stack([utterance(9, seed) for seed in range(4)])
    keys = module.energy.project(values)
    everywhere = torch.ones(4, 9, dtype=torch.bool)
    cases = set()
    for query in queries(4, 30):
        selected = module(query, keys, everywhere) >= 0
        for start in range(10):
            position = lengths.clamp(max=start)
            expected = []
            for row, (end, j) in enumerate(zip(lengths.tolist(), position.tolist(), strict=True)):
                while j < end and not selected[row, j]:
                    j += 1
                expected.append(j)
                cases.add((j == start, j == end))
            assert module.scan(query, keys, lengths, position).tolist() == expected
    assert len(cases) == 4


def test_a_probability_of_one_half_stops() -> None:
    module = head(offset=0.0, gain=0.0).eval()
    keys, (query,) = module.energy.project(utterance(3).unsqueeze(0)), queries(1, 1)
    assert module.scan(query, keys, torch.tensor([3]), torch.tensor([1])).item() == 1
    with torch.no_grad():
        module.r.fill_(-1e-6)
    assert module.scan(query, keys, torch.tensor([3]), torch.tensor([1])).item() == 3


def test_a_nan_neither_stops_nor_passes() -> None:
    module = head().eval()
    keys = module.energy.project(utterance(5).expand(3, -1, -1).clone())
    keys.projected[1, 2] = torch.nan
    query = queries(1, 1)[0].expand(3, -1)
    with pytest.raises(NotANumberError, match="the logit is NaN in row 1 of 3 at entry 2"):
        module.scan(query, keys, torch.full((3,), 5), torch.tensor([0, 2, 0]))
