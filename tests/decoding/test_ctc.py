"""Sequences spelled by paths over symbols and blanks."""

import math
from collections import defaultdict

import pytest
import torch
from oracles.ctc import of_all_paths, spelled
from torch import Tensor

from mocha_lightning.decoding.ctc import Spelled, ctc_greedy, ctc_prefix_beam
from mocha_lightning.errors import NotANumberError

BLANK, SYMBOLS, TIME = 0, 3, 5


def scores(utterances: int, seed: int = 0, time: int = TIME, sharp: float = 1.0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    drawn = sharp * torch.randn(utterances, time, SYMBOLS, generator=generator)
    return drawn.double().log_softmax(-1)


def row(found: Spelled, number: int) -> tuple[int, ...]:
    return tuple(found.tokens[number, : found.lengths[number]].tolist())


def lengths(*of_each: int) -> Tensor:
    return torch.tensor(of_each)


@pytest.mark.parametrize("seed", range(20))
def test_greedy_spells_the_likeliest_path(seed: int) -> None:
    log_probs = scores(1, seed)
    found = ctc_greedy(log_probs, lengths(TIME), BLANK)
    assert row(found, 0) == spelled(tuple(log_probs[0].argmax(-1).tolist()), BLANK)
    assert found.log_probability[0] == pytest.approx(log_probs[0].amax(-1).sum().item())


@pytest.mark.parametrize("seed", range(20))
def test_a_wide_beam_finds_the_likeliest_of_all_sequences(seed: int) -> None:
    log_probs = scores(1, seed)
    total = of_all_paths(log_probs[0], BLANK)
    best = max(total, key=lambda sequence: total[sequence])
    found = ctc_prefix_beam(log_probs, lengths(TIME), BLANK, width=1000, threshold=None)
    assert row(found, 0) == best
    assert found.log_probability[0].exp() == pytest.approx(total[best])


def test_a_symbol_twice_needs_a_blank_between() -> None:
    path = torch.tensor([1, 1, 0, 1, 2])
    log_probs = torch.nn.functional.one_hot(path, SYMBOLS).log().unsqueeze(0).double()
    for found in (
        ctc_greedy(log_probs, lengths(5), BLANK),
        ctc_prefix_beam(log_probs, lengths(5), BLANK),
    ):
        assert row(found, 0) == (1, 1, 2)
        assert found.log_probability[0] == 0


def naive_beam(log_probs: Tensor, width: int, threshold: float | None) -> tuple[int, ...]:
    """The same search over dictionaries, symbol by symbol."""
    beam = {(): (1.0, 0.0)}
    for at in log_probs.exp().tolist():
        following: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for prefix, (after_blank, after_symbol) in beam.items():
            following[prefix][0] += (after_blank + after_symbol) * at[BLANK]
            for symbol in range(1, SYMBOLS):
                repeats = prefix[-1:] == (symbol,)
                if repeats:
                    following[prefix][1] += after_symbol * at[symbol]
                came = after_blank if repeats else after_blank + after_symbol
                following[*prefix, symbol][1] += came * at[symbol]
        ranked = sorted(following.items(), key=lambda item: -sum(item[1]))[:width]
        least = 0.0 if threshold is None else sum(ranked[0][1]) * math.exp(-threshold)
        beam = {prefix: (one, two) for prefix, (one, two) in ranked if one + two >= least}
    return max(beam, key=lambda prefix: sum(beam[prefix]))


@pytest.mark.parametrize("threshold", [None, 3.0, 0.5])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_narrow_beam_is_a_loop_over_prefixes(width: int, threshold: float | None) -> None:
    log_probs = scores(30, seed=7, time=12)
    found = ctc_prefix_beam(log_probs, lengths(*[12] * 30), BLANK, width, threshold)
    for number in range(30):
        assert row(found, number) == naive_beam(log_probs[number], width, threshold)


@pytest.mark.parametrize("search", [ctc_greedy, ctc_prefix_beam])
def test_an_utterance_is_decoded_alone_as_in_a_batch(search: object) -> None:
    log_probs, of_each = scores(6, seed=3, time=9), lengths(9, 4, 1, 9, 7, 2)
    together = search(log_probs, of_each, BLANK)
    for number, length in enumerate(of_each.tolist()):
        alone = search(log_probs[number : number + 1, :length], of_each[number : number + 1], BLANK)
        assert row(alone, 0) == row(together, number)
        assert alone.log_probability[0] == pytest.approx(together.log_probability[number])
        assert (together.tokens[number, together.lengths[number] :] == BLANK).all()


@pytest.mark.parametrize("search", [ctc_greedy, ctc_prefix_beam])
def test_nothing_may_be_spelled(search: object) -> None:
    log_probs = torch.tensor([[[0.0, -torch.inf, -torch.inf]] * 3])
    found = search(log_probs, lengths(3), BLANK)
    assert found.tokens.shape == (1, 0)
    assert found.log_probability[0] == 0


@pytest.mark.parametrize("search", [ctc_greedy, ctc_prefix_beam])
def test_nan_is_refused(search: object) -> None:
    log_probs = scores(2)
    log_probs[1, 2, 0] = torch.nan
    with pytest.raises(NotANumberError, match="scores that are NaN"):
        search(log_probs, lengths(TIME, TIME), BLANK)


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"width": 0}, "width must be at least 1"), ({"threshold": -1.0}, "threshold cannot be neg")],
)
def test_mistakes_are_refused(settings: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ctc_prefix_beam(scores(1), lengths(TIME), BLANK, **settings)
