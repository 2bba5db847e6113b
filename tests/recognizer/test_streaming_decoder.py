"""Decoding a growing memory: the symbols and stops of the whole, as soon as they are decided."""

import pytest
import torch
from attention.setting import HEADED, MECHANISMS, counting
from torch import Tensor

from mocha_lightning.attention import Memory, ScanningAttention
from mocha_lightning.data import Vocabulary
from mocha_lightning.errors import NotANumberError, UserError
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.recognizer.streaming_decoder import Output

from .setting import TINY, tiny
from .test_streaming_encoder import random_cuts

SEEDS = range(4)
headed = pytest.mark.parametrize("name", HEADED)


def recognizer(name: str, seed: int = 0, **arguments) -> SpeechRecognizer:
    return prepared(tiny(MECHANISMS[name], seed=seed, **arguments))


def prepared(task: SpeechRecognizer) -> SpeechRecognizer:
    """With symbols and stops that depend on what is attended to."""
    with torch.no_grad():
        for weight in (task.decoder.output.weight, *task.decoder.cell.parameters()):
            weight.mul_(4)
        if isinstance(task.decoder.attention, ScanningAttention):
            task.decoder.attention.head.energy.g.fill_(6)
    return task.eval()


def entries(count: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(count, TINY["hidden_dim"], generator=generator)


def offline(task: SpeechRecognizer, values: Tensor) -> tuple[list[Output], bool]:
    """Greedy search over the whole memory, under hard attention; and whether it hit the cap."""
    stops = []
    memory = task.decoder.prepare(values[None], torch.ones(1, len(values), dtype=torch.bool))
    scan = task.decoder.attention.scan

    def noted(query: Tensor, memory: Memory, position: Tensor) -> Tensor:
        stops.append(int(scan(query, memory, position)))
        return torch.tensor([stops[-1]])

    task.decoder.attention.scan = noted
    try:
        found = task.decode(memory, "hard")
    finally:
        del task.decoder.attention.scan
    tokens = found.tokens[0, : found.lengths[0]].tolist()
    ends = [stop if stop < len(values) else None for stop in stops]
    return [Output(*each) for each in zip(tokens, ends, strict=False)], bool(found.capped)


def streamed(task: SpeechRecognizer, values: Tensor, cuts: list[int]) -> list[Output]:
    stream = task.stream()
    outputs = []
    for piece in torch.tensor_split(values, cuts):
        outputs += stream.accept(piece)
    return outputs + stream.finish()


@headed
def test_symbols_and_stops_are_those_of_the_whole(name: str) -> None:
    lengths = []
    for seed in SEEDS:
        task, values = recognizer(name, seed), entries(60, seed)
        expected, _ = offline(task, values)
        lengths.append(len(expected))
        for cuts in ([], list(range(60)), random_cuts(60, seed)):
            assert streamed(task, values, cuts) == expected
    assert max(lengths) > 5


@headed
def test_every_cutting_gives_the_same_bits(name: str) -> None:
    for seed in SEEDS:
        task, values = recognizer(name, seed), entries(60, seed)
        states = []
        for cuts in ([], list(range(60)), random_cuts(60, seed)):
            stream = task.stream()
            for piece in torch.tensor_split(values, cuts):
                stream.accept(piece)
            stream.finish()
            states.append(stream._state)
        for other in states[1:]:
            assert torch.equal(other.hidden, states[0].hidden)
            assert torch.equal(other.cell, states[0].cell)


@headed
def test_the_cap_is_that_of_the_whole(name: str) -> None:
    hit = False
    for seed in SEEDS:
        task, values = recognizer(name, seed, outputs_per_entry=0.15), entries(30, seed)
        expected, capped = offline(task, values)
        hit |= capped
        assert streamed(task, values, list(range(30))) == expected
    assert hit


@headed
def test_a_symbol_comes_with_the_entry_that_its_scan_stops_at(name: str) -> None:
    """Unless it had to wait for the cap."""
    waited = 0
    for seed in SEEDS:
        task = recognizer(name, seed, outputs_per_entry=2.0)
        stream, outputs = task.stream(), []
        for entry, value in enumerate(entries(60, seed)):
            free = len(outputs) < 2 * entry or entry == 0
            fresh = stream.accept(value[None])
            if free:
                waited += len(fresh)
                assert {output.entry for output in fresh} <= {entry}
            outputs += fresh
    assert waited > 5


@headed
def test_no_entry_is_inspected_twice_for_an_output(name: str) -> None:
    """One by one they cost what they cost together."""
    for seed in SEEDS:
        task, values = recognizer(name, seed), entries(60, seed)
        costs = []
        for cuts in ([], list(range(60))):
            with counting(task.decoder.attention.head.energy) as energies:
                streamed(task, values, cuts)
            costs.append(sum(energies))
        assert costs[0] == costs[1]


@pytest.mark.parametrize(
    ("name", "most"), [("monotonic", 1), ("mocha_w2", 1), ("mocha_w5", 4), ("adaptive_mocha", 4)]
)
def test_what_it_keeps_of_inspected_entries_does_not_grow(name: str, most: int) -> None:
    """A chunk may begin up to w - 1 entries before the next one to come."""
    task = recognizer(name)
    with torch.no_grad():
        task.decoder.attention.head.r.fill_(-100)
    stream = task.stream()
    for count, value in enumerate(entries(50), 1):
        assert stream.accept(value[None]) == []
        assert len(stream._entries) == min(count, most)


def test_matcha_keeps_what_follows_its_last_stop() -> None:
    for seed in SEEDS:
        stream = recognizer("matcha", seed).stream()
        last = 0
        for count, value in enumerate(entries(50, seed), 1):
            last = max([last, *(output.entry for output in stream.accept(value[None]))])
            assert stream.ended or len(stream._entries) == count - last


def test_nothing_is_heard_after_the_end_symbol() -> None:
    task = recognizer("mocha_w2")
    with torch.no_grad():
        task.decoder.output.bias[Vocabulary.EOS] = 1e4
    stream = task.stream()
    assert not stream.ended
    stream.accept(entries(60))
    assert stream.ended
    assert stream.accept(entries(60)) == stream.finish() == []


def test_no_entries_give_no_symbols() -> None:
    stream = recognizer("mocha_w2").stream()
    assert stream.accept(entries(0)) == stream.finish() == []


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name not in HEADED])
def test_attention_that_needs_the_whole_memory_is_refused(name: str) -> None:
    task = recognizer(name)
    mechanism = type(task.decoder.attention).__name__
    with pytest.raises(UserError, match=f"^{mechanism} has no monotonic"):
        task.stream()


def test_a_score_that_is_nan_is_refused() -> None:
    task = recognizer("mocha_w2")
    with torch.no_grad():
        task.decoder.output.bias[4] = torch.nan
    with pytest.raises(NotANumberError, match="scores or attention weights that are NaN"):
        streamed(task, entries(20), [])
