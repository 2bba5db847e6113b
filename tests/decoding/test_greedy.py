"""Greedy search over a batch is a plain loop over each utterance."""

import math
from typing import NamedTuple

import pytest
import torch
from oracles import decoding as oracle
from torch import Tensor

from mocha_lightning.decoding import Decoded, greedy

SYMBOLS, START, END, LONGEST = 5, 1, 2, 12


class State(NamedTuple):
    """Which utterance a row is, and the steps made."""

    utterance: Tensor
    made: Tensor


class Model:
    """Random logits that depend on the utterance, the step and the last symbol."""

    def __init__(self, utterances: int, seed: int = 0) -> None:
        generator = torch.Generator().manual_seed(seed)
        shape = (utterances, LONGEST + 1, SYMBOLS)
        self.logits = torch.randn(*shape, SYMBOLS, generator=generator)
        self.weights = torch.rand(*shape, 3, generator=generator) / 3
        self.stops = torch.randint(9, shape, generator=generator)
        self.calls = 0

    def step(self, symbols: Tensor, state: State) -> tuple[Tensor, State, Tensor, Tensor]:
        self.calls += 1
        at = (state.utterance, state.made, symbols)
        state = State(state.utterance, state.made + 1)
        return self.logits[at], state, self.weights[at], self.stops[at]

    def decode(self, utterances: list[int], caps: list[int]) -> Decoded:
        rows = torch.tensor(utterances)
        state = State(rows, torch.zeros_like(rows))
        return greedy(self.step, state, torch.tensor(caps), START, END)

    def decode_by_loop(self, utterance: int, cap: int) -> tuple[list[int], bool, list[float]]:
        def step(made: int, last: int) -> tuple[list[float], float]:
            at = (utterance, made, last)
            return self.logits[at].tolist(), self.weights[at].sum().item()

        return oracle.greedy(step, cap, START, END)


CAPS = [12, 12, 1, 3, 12, 5, 2, 12, 1, 12]


@pytest.mark.parametrize("seed", range(3))
def test_a_batch_is_a_loop_over_its_utterances(seed: int) -> None:
    model = Model(len(CAPS), seed)
    decoded = model.decode(list(range(len(CAPS))), CAPS)
    for row, cap in enumerate(CAPS):
        symbols, capped, masses = model.decode_by_loop(row, cap)
        assert decoded.lengths[row] == len(symbols)
        assert decoded.tokens[row, : len(symbols)].tolist() == symbols
        assert (decoded.tokens[row, len(symbols) :] == END).all()
        assert bool(decoded.capped[row]) == capped
        attended = decoded.attended[row].tolist()
        assert attended[: len(masses)] == pytest.approx(masses)
        assert all(math.isnan(mass) for mass in attended[len(masses) :])
        inputs = [START, *symbols][: len(masses)]
        stops = [int(model.stops[row, made, last]) for made, last in enumerate(inputs)]
        assert decoded.stops is not None
        padding = decoded.tokens.shape[1] - len(stops)
        assert decoded.stops[row].tolist() == stops + [-1] * padding
    assert 0 < decoded.capped.sum() < len(CAPS)


def test_an_utterance_does_not_depend_on_those_beside_it() -> None:
    model = Model(len(CAPS))
    together = model.decode(list(range(len(CAPS))), CAPS)
    for row, cap in enumerate(CAPS):
        alone = model.decode([row], [cap])
        outputs = alone.tokens.shape[1]
        assert torch.equal(alone.tokens[0], together.tokens[row, :outputs])
        assert alone.lengths[0] == together.lengths[row]
        assert alone.capped[0] == together.capped[row]
        torch.testing.assert_close(
            alone.attended[0], together.attended[row, :outputs], equal_nan=True
        )


def always(symbol: int, cap: int) -> tuple[Decoded, int]:
    model = Model(1)
    model.logits[..., symbol] = 100
    return model.decode([0], [cap]), model.calls


def test_the_cap_does_not_count_the_end_symbol() -> None:
    """Three symbols and a cap of three: the end symbol could not be asked for any more."""
    decoded, calls = always(3, 3)
    assert decoded.tokens.tolist() == [[3, 3, 3]]
    assert decoded.lengths.tolist() == [3]
    assert decoded.capped.tolist() == [True]
    assert calls == 3


def test_an_empty_result_is_not_capped() -> None:
    decoded, calls = always(END, 1)
    assert decoded.tokens.tolist() == [[END]]
    assert decoded.lengths.tolist() == [0]
    assert decoded.capped.tolist() == [False]
    assert not decoded.attended.isnan().any()
    assert calls == 1


def test_it_stops_when_every_utterance_has_ended() -> None:
    model = Model(len(CAPS))
    decoded = model.decode(list(range(len(CAPS))), CAPS)
    needed = max(len(model.decode_by_loop(row, cap)[2]) for row, cap in enumerate(CAPS))
    assert model.calls == needed == decoded.tokens.shape[1]


def test_no_gradient_is_kept() -> None:
    model = Model(1)
    model.logits.requires_grad_()
    assert not model.decode([0], [4]).attended.requires_grad


def test_attention_without_a_head_has_no_stops() -> None:
    model = Model(1)
    rows = torch.tensor([0])
    found = greedy(
        lambda *given: (*model.step(*given)[:3], None), State(rows, rows), rows + 4, START, END
    )
    assert found.stops is None
