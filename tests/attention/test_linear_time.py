"""Hard decoding computes only the energies that Algorithm 1 does, and reads nothing beyond."""

import pytest
import torch
from torch import Tensor

from attention.setting import MIXED, attend, build, counting, padded, queries, utterance
from mocha_lightning.attention import Attention, MoChA, MonotonicAttention

LENGTHS = [50, 7, 1, 33]
OUTPUTS = 25


def decode(module: Attention, utterances: list[Tensor]) -> Tensor:
    """Stops of each utterance and output."""
    memory = module.prepare(*padded(utterances))
    steps = attend(module, memory, queries(len(utterances), OUTPUTS), "hard")
    return torch.stack([step.state for step in steps], 1)


@pytest.mark.parametrize("projected", ["once", "lazily"])
@pytest.mark.parametrize("seed", range(8))
def test_an_utterance_costs_at_most_one_monotonic_energy_an_entry_and_an_output(
    projected: str, seed: int
) -> None:
    module = build(MonotonicAttention, **{**MIXED, "offset": -2.0}).eval()
    module.keys_projected = projected
    memory = utterance(60, seed)
    with counting(module.head.energy) as energies:
        stops = decode(module, [memory])[0].tolist()
    # From where the last scan stopped up to the stop: that entry too, but for the end.
    inspected = [
        end - start + (end < 60) for start, end in zip([0, *stops[:-1]], stops, strict=True)
    ]
    assert sum(energies) == sum(inspected) <= 60 + OUTPUTS


@pytest.mark.parametrize("chunk_size", [1, 2, 8])
def test_a_chunk_costs_no_more_than_its_entries(chunk_size: int) -> None:
    module = build(MoChA, **MIXED, chunk_size=chunk_size).eval()
    with counting(module.chunk_energy) as energies:
        decode(module, [utterance(60)])
    assert 0 < max(energies) <= chunk_size
    assert len(energies) == OUTPUTS


def test_a_batch_costs_what_its_utterances_cost_and_stops_where_they_stop() -> None:
    module = build(MoChA, **MIXED).eval()
    utterances = [utterance(time, seed) for seed, time in enumerate(LENGTHS)]
    with counting(module.head.energy) as together:
        stops = decode(module, utterances)
    memory_of = [module.prepare(*padded([each])) for each in utterances]
    with counting(module.head.energy) as alone:
        for row, memory in enumerate(memory_of):
            asked = [query[row : row + 1] for query in queries(len(LENGTHS), OUTPUTS)]
            steps = attend(module, memory, asked, "hard")
            assert [step.state.item() for step in steps] == stops[row].tolist()
    assert sum(together) == sum(alone)


@pytest.mark.parametrize("factory", [MonotonicAttention, MoChA])
def test_keys_projected_lazily_are_those_projected_once(factory) -> None:
    module = build(factory, **MIXED).eval()
    memories = []
    for module.keys_projected in ("once", "lazily"):
        memory = module.prepare(*padded([utterance(9), utterance(4, 1)]))
        memories.append(attend(module, memory, queries(2, 12), "hard"))
    for once, lazily in zip(*memories, strict=True):
        assert torch.equal(once.state, lazily.state)
        torch.testing.assert_close(once.context, lazily.context)


def test_keys_projected_lazily_are_projected_for_what_is_inspected_alone() -> None:
    module = build(MonotonicAttention, **MIXED).eval()
    module.keys_projected = "lazily"
    projected = []
    module.head.energy.memory_projection.register_forward_hook(
        lambda _, inputs, __: projected.append(inputs[0].shape[:-1].numel())
    )
    memory = utterance(200)
    prepared = module.prepare(*padded([memory]))
    assert projected == []
    attend(module, prepared, queries(1, 2), "hard")
    assert 0 < sum(projected) < 200


@pytest.mark.parametrize("factory", [MonotonicAttention, MoChA])
def test_what_comes_after_the_stop_is_not_read(factory) -> None:
    module = build(factory, **MIXED).eval()
    memory = utterance(30)
    (step,) = attend(module, module.prepare(*padded([memory])), queries(1, 1), "hard")
    stop = step.state.item()
    assert stop < 29
    memory[stop + 1 :] = float("nan")
    (blind,) = attend(module, module.prepare(*padded([memory])), queries(1, 1), "hard")
    assert torch.equal(step.context, blind.context)
