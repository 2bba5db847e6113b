"""The CTC loss is a sum over all paths, and says which transcripts have none."""

import itertools
import math

import pytest
import torch
from oracles.ctc import of_all_paths
from torch import Tensor

from mocha_lightning.training.ctc_loss import alignable, ctc_loss

BLANK, OUTPUTS = 0, 3


def logits(utterances: int, time: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    drawn = 2 * torch.randn(utterances, time, OUTPUTS, generator=generator, dtype=torch.double)
    return drawn.requires_grad_()


def padded(transcripts: list[tuple[int, ...]]) -> tuple[Tensor, Tensor]:
    """Transcripts with something that must not matter after each one's end."""
    longest = max(map(len, transcripts))
    symbols = torch.tensor([[*each, *[1] * (longest - len(each))] for each in transcripts])
    return symbols.long(), torch.tensor(list(map(len, transcripts)))


EVERY = [
    transcript
    for length in range(5)
    for transcript in itertools.product(range(1, OUTPUTS), repeat=length)
]
"""All transcripts of up to four symbols."""


@pytest.mark.parametrize("time", [1, 2, 4, 6])
def test_the_loss_is_that_of_the_sum_over_all_paths(time: int) -> None:
    scores = logits(1, time)
    total = of_all_paths(scores[0].log_softmax(-1).detach(), BLANK)
    assert sum(total.values()) == pytest.approx(1)
    log_probs = scores.log_softmax(-1).expand(len(EVERY), -1, -1)
    nats, spelled = ctc_loss(log_probs, torch.full((len(EVERY),), time), *padded(EVERY), BLANK)
    assert spelled.tolist() == [transcript in total for transcript in EVERY]
    for transcript, loss in zip(EVERY, nats.tolist(), strict=True):
        expected = -math.log(total[transcript]) if transcript in total else 0.0
        assert loss == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("entries", range(1, 7))
def test_alignable_are_the_transcripts_that_some_path_spells(entries: int) -> None:
    some = of_all_paths(torch.zeros(entries, OUTPUTS), BLANK)
    found = alignable(*padded(EVERY), torch.full((len(EVERY),), entries))
    assert found.tolist() == [transcript in some for transcript in EVERY]


def test_the_loss_and_its_gradient_are_pytorchs_of_each_utterance_alone() -> None:
    scores, entries = logits(4, 9), torch.tensor([9, 5, 1, 7])
    symbols, lengths = padded([(1, 2, 1), (2, 2), (1,), ()])
    nats, spelled = ctc_loss(scores.log_softmax(-1), entries, symbols, lengths, BLANK)
    assert spelled.all()
    (gradient,) = torch.autograd.grad(nats.sum(), scores)
    for row in range(4):
        alone = scores[row, : entries[row]].log_softmax(-1)
        its_own = symbols[row, : lengths[row]]
        expected = torch.nn.functional.ctc_loss(
            alone, its_own, entries[row], lengths[row], BLANK, reduction="none"
        )
        torch.testing.assert_close(nats[row], expected)
        torch.testing.assert_close(gradient[row], torch.autograd.grad(expected, scores)[0][row])


def test_the_gradient_is_that_of_the_sum_over_all_paths() -> None:
    """Against differences of the loss, path by path."""
    scores, step = logits(1, 4), 1e-6
    nats, _ = ctc_loss(scores.log_softmax(-1), torch.tensor([4]), *padded([(1, 2)]), BLANK)
    (gradient,) = torch.autograd.grad(nats.sum(), scores)

    def naive(at: tuple[int, int], by: float) -> float:
        moved = scores[0].detach().clone()
        moved[at] += by
        return -math.log(of_all_paths(moved.log_softmax(-1), BLANK)[1, 2])

    for at in itertools.product(range(4), range(OUTPUTS)):
        expected = (naive(at, step) - naive(at, -step)) / (2 * step)
        assert gradient[0][at].item() == pytest.approx(expected, abs=1e-7)


def test_what_no_path_spells_has_no_loss_and_no_gradient_and_leaves_the_others_theirs() -> None:
    scores, entries = logits(3, 4), torch.tensor([2, 4, 3])
    transcripts = padded([(1, 2, 1), (1, 2), (2, 2)])
    nats, spelled = ctc_loss(scores.log_softmax(-1), entries, *transcripts, BLANK)
    assert spelled.tolist() == [False, True, True]
    (gradient,) = torch.autograd.grad(nats.sum(), scores)
    assert nats[0] == 0
    assert (gradient[0] == 0).all()
    assert gradient.isfinite().all()
    assert (gradient[1] != 0).all()


def test_a_loss_that_is_infinite_for_another_reason_stays_so() -> None:
    scores = torch.zeros(1, 3, OUTPUTS)
    scores[..., 1] = -torch.inf
    nats, spelled = ctc_loss(scores.log_softmax(-1), torch.tensor([3]), *padded([(2, 1)]), BLANK)
    assert spelled.all()
    assert nats.isinf().all()
