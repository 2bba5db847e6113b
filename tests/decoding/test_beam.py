"""Beam search over a batch is a plain search of each utterance, pruned by the same rules."""

import math
from functools import partial
from typing import NamedTuple

import pytest
import torch
from oracles import decoding as oracle
from torch import Tensor

from mocha_lightning.decoding import Decoded, Searched, beam, greedy
from mocha_lightning.errors import NotANumberError

SYMBOLS, START, END, HISTORIES = 4, 1, 2, 997
MASS = 3
"""Attention weights of a step."""


class State(NamedTuple):
    """Whose hypothesis a row is, and a number that all its symbols are in."""

    utterance: Tensor
    history: Tensor

    def select(self, rows: Tensor) -> "State":
        return State(*(part[rows] for part in self))


def after(history, symbol):
    return (history * SYMBOLS + symbol) % HISTORIES


class Model:
    """Random logits that depend on all that a hypothesis has said, as its state knows it."""

    def __init__(self, utterances: int, seed: int = 0, symbols: int = SYMBOLS) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.logits = 2 * torch.randn(utterances, HISTORIES, symbols, generator=generator)
        self.weights = torch.rand(utterances, HISTORIES, MASS, generator=generator) / MASS
        self.rows: list[int] = []

    def step(self, symbols: Tensor, state: State) -> tuple[Tensor, State, Tensor]:
        at = state.utterance, after(state.history, symbols)
        self.rows.append(len(symbols))
        return self.logits[at], State(*at), self.weights[at]

    def step_of(self, symbols: Tensor, state: State, utterances: Tensor):
        # Utterances are named by any number; those of a search are counted from 0.
        assert torch.equal(state.utterance, self.searched[utterances])
        return self.step(symbols, state)

    def search(self, utterances: list[int], caps: list[int], **arguments) -> Searched:
        self.searched = torch.tensor(utterances)
        self.rows = []
        return beam(
            self.step_of,
            State.select,
            State(self.searched, torch.zeros_like(self.searched)),
            torch.tensor(caps),
            START,
            END,
            **arguments,
        )

    def greedy(self, utterances: list[int], caps: list[int]) -> Decoded:
        rows = torch.tensor(utterances)
        return greedy(
            lambda *given: (*self.step(*given), None),
            State(rows, torch.zeros_like(rows)),
            torch.tensor(caps),
            START,
            END,
        )

    def histories(self, sequence: oracle.Sequence) -> list[int]:
        """Where each symbol of a sequence, and the one after it, is read."""
        found = [after(0, START)]
        for symbol in sequence:
            found.append(after(found[-1], symbol))
        return found

    def gains(self, utterance: int, sequence: oracle.Sequence) -> list[float]:
        logits = self.logits[utterance, self.histories(sequence)[-1]]
        return logits.double().log_softmax(-1).tolist()

    def masses(self, utterance: int, sequence: oracle.Sequence) -> list[float]:
        return self.weights[utterance, self.histories(sequence)[:-1]].sum(-1).tolist()


def sequence_of(tokens: Tensor, length: Tensor, cap: int) -> oracle.Sequence:
    """Its symbols, and the end symbol if it came before the cap."""
    symbols = tuple(tokens[: int(length)].tolist())
    return symbols if len(symbols) == cap else (*symbols, END)


def assert_best(
    found: Searched, row: int, model: Model, utterance: int, cap: int, best: oracle.Sequence
) -> None:
    """That an utterance's result is a sequence, in all its parts."""
    decoded = found.best
    length = len(best) - (best[-1] == END)
    assert sequence_of(decoded.tokens[row], decoded.lengths[row], cap) == best
    assert (decoded.tokens[row, length:] == END).all()
    assert bool(decoded.capped[row]) == (length == cap)
    attended = decoded.attended[row].tolist()
    assert attended[: len(best)] == pytest.approx(model.masses(utterance, best))
    assert all(math.isnan(mass) for mass in attended[len(best) :])
    total = sum(model.gains(utterance, best[:i])[symbol] for i, symbol in enumerate(best))
    assert found.log_probabilities[row].item() == pytest.approx(total, rel=1e-12)


CAPS = [7, 7, 1, 3, 7, 5, 2, 6, 1, 7]
ALL = list(range(len(CAPS)))
NORMALIZATIONS = [0.0, 0.6, 1.5]


@pytest.mark.parametrize("alpha", NORMALIZATIONS)
@pytest.mark.parametrize("threshold", [None, 3.0, 1.0, 0.0])
@pytest.mark.parametrize("width", [1, 2, 3, 8])
def test_a_batch_is_a_plain_search_of_each_utterance(
    width: int, threshold: float | None, alpha: float
) -> None:
    """Which goes on until all hypotheses have ended: to stop early loses nothing."""
    for seed in range(5):
        model = Model(len(CAPS), seed)
        found = model.search(
            ALL, CAPS, width=width, threshold=threshold, length_normalization=alpha
        )
        for row, cap in enumerate(CAPS):
            limit = math.inf if threshold is None else threshold
            (best, _), *_ = oracle.beam(partial(model.gains, row), cap, END, width, limit, alpha)
            assert_best(found, row, model, row, cap, best)


@pytest.mark.parametrize("alpha", NORMALIZATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_wide_enough_finds_the_best_of_all_sequences(seed: int, alpha: float) -> None:
    caps = [5, 4, 5, 1]
    model = Model(len(caps), seed)
    found = model.search(
        range(len(caps)), caps, width=SYMBOLS**5, threshold=None, length_normalization=alpha
    )
    for row, cap in enumerate(caps):
        everything = oracle.every_sequence(partial(model.gains, row), cap, END)
        best = max(everything, key=lambda s: oracle.score(s, everything[s], alpha))
        assert_best(found, row, model, row, cap, best)
        assert found.scores[row, 0].item() == pytest.approx(
            oracle.score(best, everything[best], alpha)
        )


def test_length_normalisation_prefers_longer_results() -> None:
    model = Model(len(CAPS))
    lengths = [
        model.search(ALL, CAPS, threshold=None, length_normalization=alpha).best.lengths.sum()
        for alpha in NORMALIZATIONS
    ]
    assert lengths[0] < lengths[1] < lengths[2]


def test_a_width_of_one_is_greedy_search() -> None:
    """To the last bit, whatever the other arguments are."""
    for seed in range(3):
        model = Model(len(CAPS), seed)
        expected = model.greedy(ALL, CAPS)
        for threshold, alpha in [(3.0, 0.0), (0.0, 0.0), (None, 1.0)]:
            found = model.search(
                ALL, CAPS, width=1, threshold=threshold, length_normalization=alpha
            ).best
            for name in ("tokens", "lengths", "capped", "attended"):
                part = getattr(expected, name)
                same = torch.equal(part.nan_to_num(-1), getattr(found, name).nan_to_num(-1))
                assert same, name
    assert 0 < expected.capped.sum() < len(CAPS)


@pytest.mark.parametrize("alpha", NORMALIZATIONS)
def test_an_utterance_does_not_depend_on_those_beside_it(alpha: float) -> None:
    model = Model(len(CAPS))
    together = model.search(ALL, CAPS, length_normalization=alpha)
    for row, cap in enumerate(CAPS):
        alone = model.search([row], [cap], length_normalization=alpha)
        outputs = alone.best.tokens.shape[1]
        for name in ("tokens", "attended"):
            one, many = getattr(alone.best, name)[0], getattr(together.best, name)[row]
            assert torch.equal(one.nan_to_num(-1), many[:outputs].nan_to_num(-1))
        assert alone.best.lengths[0] == together.best.lengths[row]
        assert alone.best.capped[0] == together.best.capped[row]
        assert alone.log_probabilities[0] == together.log_probabilities[row]
        there = alone.scores[0].isfinite()
        count = int(there.sum())
        assert torch.equal(alone.scores[0, :count], together.scores[row, :count])
        assert not together.scores[row, count:].isfinite().any()


def test_the_ended_hypotheses_are_given_the_best_first() -> None:
    model = Model(len(CAPS))
    found = model.search(ALL, CAPS, threshold=None, length_normalization=0.6)
    hypotheses = found.ended
    assert found.scores.shape[1] <= 8
    assert (found.scores.diff(dim=1).nan_to_num() <= 0).all()
    assert torch.equal(hypotheses.tokens[:, 0], found.best.tokens)
    assert torch.equal(hypotheses.log_probabilities[:, 0], found.log_probabilities)
    for row, cap in enumerate(CAPS):
        everything = oracle.every_sequence(partial(model.gains, row), cap, END)
        sequences = [
            sequence_of(tokens, length, cap)
            for tokens, length, score in zip(
                hypotheses.tokens[row], hypotheses.lengths[row], found.scores[row], strict=True
            )
            if score > -torch.inf
        ]
        assert len(set(sequences)) == len(sequences)
        assert found.scores[row, : len(sequences)].tolist() == pytest.approx(
            [oracle.score(sequence, everything[sequence], 0.6) for sequence in sequences]
        )
    assert (found.scores > -torch.inf).sum() > len(CAPS)


# -- What is searched ----------------------------------------------------------------------------


def rows_of_three_symbols(logits: list[float], **arguments) -> tuple[Searched, list[int]]:
    """A search where each output's logits are the same and the end symbol, 2, is the last."""
    model = Model(1, symbols=3)
    model.logits[:] = torch.tensor(logits)
    return model.search([0], [3], **arguments), model.rows


def test_hypotheses_far_below_the_best_are_dropped() -> None:
    """By more than the threshold: at three nats, one that lies 2.9 below is still there."""
    never = -1000.0
    assert rows_of_three_symbols([0.0, -2.9, never])[1] == [1, 2, 3]
    assert rows_of_three_symbols([0.0, -3.1, never])[1] == [1, 1, 1]
    assert rows_of_three_symbols([0.0, -3.1, never], threshold=4.0)[1] == [1, 2, 3]
    assert rows_of_three_symbols([0.0, -3.1, never], threshold=None)[1] == [1, 2, 4]
    assert rows_of_three_symbols([0.0, -3.1, never], threshold=None, width=2)[1] == [1, 2, 2]


def test_an_ended_hypothesis_ends_those_that_cannot_beat_it() -> None:
    """Without normalisation a hypothesis only gets less likely; with it, longer may be better."""
    sure_of_the_end = [-0.2, -1.5, 0.0]
    found, rows = rows_of_three_symbols(sure_of_the_end)
    assert rows == [1]
    assert found.best.lengths.tolist() == [0]
    _, rows = rows_of_three_symbols(sure_of_the_end, length_normalization=1.0)
    assert len(rows) > 1


def test_an_ended_hypothesis_is_dropped_too_where_another_is_far_likelier() -> None:
    """Though what comes of that other may be less likely in the end: such is pruning."""
    model = Model(1, symbols=3)
    model.logits[:] = torch.tensor([0.0, 0.0, -1000.0])
    model.logits[0, model.histories(())[0]] = torch.tensor([4.0, -1000.0, 0.0])
    empty, whole = (model.search([0], [8], threshold=nats).best for nats in (5.0, 3.0))
    assert empty.lengths.tolist() == [0]
    assert whole.lengths.tolist() == [8]


def test_pruning_saves_steps() -> None:
    model = Model(len(CAPS))
    work = []
    for threshold in (None, 3.0, 1.0, 0.0):
        model.search(ALL, CAPS, threshold=threshold)
        work.append(sum(model.rows))
        assert max(model.rows) <= 8 * len(CAPS)
    assert work == sorted(work, reverse=True)
    assert len(set(work)) == len(work)


def test_of_equals_the_better_hypothesis_s_and_then_the_lower_symbol_come_first() -> None:
    found, _ = rows_of_three_symbols([0.0, 0.0, -1000.0], threshold=None)
    sequences = [tokens[:3] for tokens in found.ended.tokens[0].tolist()]
    assert sequences == [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    narrow, _ = rows_of_three_symbols([0.0, 0.0, -1000.0], threshold=None, width=3)
    assert narrow.ended.tokens[0].tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_of_equals_what_ended_earlier_comes_first() -> None:
    """The end symbol is as likely as the only other, which then is certain to be followed by it."""
    model = Model(1, symbols=3)
    first, second = model.histories((0,))
    model.logits[0, first] = torch.tensor([0.0, -torch.inf, 0.0])
    model.logits[0, second] = torch.tensor([-torch.inf, -torch.inf, 0.0])
    found = model.search([0], [5])
    assert found.best.lengths.tolist() == [0]
    assert len(model.rows) == 1


# -- Ends ----------------------------------------------------------------------------------------


def test_the_cap_does_not_count_the_end_symbol() -> None:
    """Three symbols and a cap of three: the end symbol is not asked for any more."""
    found, rows = rows_of_three_symbols([0.0, -1000.0, -1000.0], width=1)
    assert found.best.tokens.tolist() == [[0, 0, 0]]
    assert found.best.capped.tolist() == [True]
    assert len(rows) == 3


def test_an_empty_result_is_not_capped() -> None:
    model = Model(1)
    model.logits[..., END] = 100
    found = model.search([0], [1])
    assert found.best.tokens.tolist() == [[END]]
    assert found.best.lengths.tolist() == [0]
    assert found.best.capped.tolist() == [False]
    assert model.rows == [1]


def test_a_symbol_that_is_impossible_is_never_taken() -> None:
    model = Model(1)
    model.logits[..., 0] = -torch.inf
    found = model.search([0], [4], threshold=None, width=SYMBOLS**4)
    there = found.scores[0] > -torch.inf
    assert not (found.ended.tokens[0][there] == 0).any()


@pytest.mark.parametrize("where", ["logits", "weights"])
def test_a_score_that_is_not_a_number_is_refused(where: str) -> None:
    model = Model(1)
    getattr(model, where)[0, model.histories(())[0]] = torch.nan
    with pytest.raises(NotANumberError, match="scores or attention weights that are NaN"):
        model.search([0], [4])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"width": 0}, "width must be at least 1, not 0"),
        ({"threshold": -1.0}, r"threshold cannot be negative: -1\.0"),
        ({"length_normalization": -0.5}, r"length_normalization cannot be negative: -0\.5"),
    ],
)
def test_a_search_that_cannot_be_is_refused(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        Model(1).search([0], [4], **wrong)


def test_no_gradient_is_kept() -> None:
    model = Model(1)
    model.logits.requires_grad_()
    assert not model.search([0], [4]).log_probabilities.requires_grad
