"""Hard attention over a memory that is still growing."""

import pytest
import torch

from attention.setting import HEADED, build, padded, queries, utterance
from mocha_lightning.attention import Memory, ScanningAttention

headed = pytest.mark.parametrize("name", HEADED)
TIME, OUTPUTS = 20, 12


@headed
@pytest.mark.parametrize("projected", ["once", "lazily"])
def test_memories_can_be_joined_in_time(name: str, projected: str) -> None:
    module = build(HEADED[name]).eval()
    module.keys_projected = projected
    values, valid = padded([utterance(TIME), utterance(TIME, 1)])
    whole = module.prepare(values, valid)
    parts = [module.prepare(values[:, at], valid[:, at]) for at in (slice(0, 3), slice(3, TIME))]
    joined = Memory.joined(parts)
    assert torch.equal(joined.values, whole.values)
    assert torch.equal(joined.valid, whole.valid)
    rows, entries = torch.zeros(1, TIME, dtype=torch.long), torch.arange(TIME)[None]
    for mine, expected in zip(joined.keys, whole.keys, strict=True):
        torch.testing.assert_close(mine.at(rows, entries), expected.at(rows, entries))


@headed
def test_a_scan_goes_on_where_the_entries_ended(name: str) -> None:
    module: ScanningAttention = build(HEADED[name]).eval()
    values, valid = padded([utterance(TIME)])
    whole = module.prepare(values, valid)
    growing = [module.prepare(values[:, :end], valid[:, :end]) for end in range(1, TIME + 1)]
    state = module.hard_start(whole)
    for query in queries(1, OUTPUTS):
        expected = module.scan(query, whole, state)
        position = state
        for memory in growing:
            if position < len(memory.valid[0]):
                position = module.scan(query, memory, position)
        assert torch.equal(position, expected)
        state = module.attend(query, whole, state, expected).state


@headed
def test_entries_before_the_oldest_needed_change_no_later_output(name: str) -> None:
    module: ScanningAttention = build(HEADED[name]).eval()
    values, valid = padded([utterance(TIME)])
    memory = module.prepare(values, valid)
    state, position, later = module.hard_start(memory), 0, queries(1, OUTPUTS)
    for i, query in enumerate(later):
        oldest = module.oldest_needed(int(state), position)
        if oldest > 0:
            cut = module.prepare(values[:, oldest:], valid[:, oldest:])
            states = state, state - oldest
            for each in later[i:]:
                steps = [
                    module.hard_step(each, *of) for of in zip((memory, cut), states, strict=True)
                ]
                torch.testing.assert_close(steps[0].context, steps[1].context)
                states = steps[0].state, steps[1].state
                assert torch.equal(states[0], states[1] + oldest)
                if states[0] == TIME:
                    break
        state = module.hard_step(query, memory, state).state
        position = int(state)
        if position == TIME:
            break
