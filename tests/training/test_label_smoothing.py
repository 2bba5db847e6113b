"""Localised label smoothing: a target lends a little to the labels just before and after it."""

import numpy as np
import pytest
import torch
from oracles import label_smoothing as oracle
from torch import Tensor

from mocha_lightning.training.label_smoothing import (
    NEIGHBOURS,
    smooth_targets,
    smoothed_cross_entropy,
)

A, B, C, D, E, EOS = 3, 4, 5, 6, 7, 2
SIZE = 8


def targets_of(*labels: int) -> Tensor:
    return smooth_targets(torch.tensor([labels]), torch.tensor([len(labels)]), SIZE)[0]


def distribution(**weights: float) -> Tensor:
    expected = torch.zeros(SIZE)
    for label, weight in weights.items():
        expected[globals()[label]] = weight
    return expected


def test_weights_are_the_paper_s() -> None:
    assert NEIGHBOURS == {-2: 0.015, -1: 0.035, 1: 0.035, 2: 0.015}


def test_inside_an_utterance() -> None:
    expected = distribution(A=0.015, B=0.035, C=0.9, D=0.035, E=0.015)
    torch.testing.assert_close(targets_of(A, B, C, D, E)[2], expected)


def test_at_the_edges_the_rest_is_scaled_to_one() -> None:
    targets = targets_of(A, B, C, D, E)
    torch.testing.assert_close(targets[0], distribution(A=0.9, B=0.035, C=0.015) / 0.95)
    torch.testing.assert_close(targets[1], distribution(A=0.035, B=0.9, C=0.035, D=0.015) / 0.985)
    torch.testing.assert_close(targets[3], distribution(B=0.015, C=0.035, D=0.9, E=0.035) / 0.985)
    torch.testing.assert_close(targets[4], distribution(C=0.015, D=0.035, E=0.9) / 0.95)


def test_the_end_symbol_is_a_label_like_any_other() -> None:
    targets = targets_of(A, B, EOS)
    torch.testing.assert_close(targets[1], distribution(A=0.035, B=0.9, EOS=0.035) / 0.97)
    torch.testing.assert_close(targets[2], distribution(A=0.015, B=0.035, EOS=0.9) / 0.95)


def test_a_label_that_repeats_gathers_both_weights() -> None:
    targets = targets_of(A, A, B, A, A)
    torch.testing.assert_close(targets[2], distribution(A=0.1, B=0.9))
    torch.testing.assert_close(targets[0], distribution(A=0.935, B=0.015) / 0.95)


def test_a_single_label_keeps_everything() -> None:
    torch.testing.assert_close(targets_of(EOS)[0], distribution(EOS=1.0))


def test_padding_lends_nothing_and_has_no_target() -> None:
    """Whatever fills the places after the end, a true label included."""
    tokens = torch.tensor([[A, B, EOS, C, D], [A, B, C, D, EOS]])
    targets = smooth_targets(tokens, torch.tensor([3, 5]), SIZE)
    torch.testing.assert_close(targets[0, :3], targets_of(A, B, EOS))
    torch.testing.assert_close(targets[1], targets_of(A, B, C, D, EOS))
    assert (targets[0, 3:] == 0).all()


def random_batch() -> tuple[Tensor, Tensor, list[list[int]]]:
    generator = torch.Generator().manual_seed(0)
    lengths = torch.tensor([1, 2, 3, 4, 9])
    tokens = torch.randint(0, SIZE, (5, 9), generator=generator)
    labels = [row[:n].tolist() for row, n in zip(tokens, lengths, strict=True)]
    return tokens, lengths, labels


def test_a_batch_is_a_loop_over_utterances_and_labels() -> None:
    tokens, lengths, labels = random_batch()
    targets = smooth_targets(tokens, lengths, SIZE)
    for row, expected in enumerate(labels):
        found = targets[row, : len(expected)].numpy()
        np.testing.assert_allclose(found, oracle.smoothed(expected, SIZE), atol=1e-7)
    valid = torch.arange(9) < lengths.unsqueeze(1)
    torch.testing.assert_close(targets.sum(-1), valid.float())


def test_the_loss_is_the_cross_entropy_of_the_batch_s_labels() -> None:
    tokens, lengths, labels = random_batch()
    logits = 3 * torch.randn(5, 9, SIZE, generator=torch.Generator().manual_seed(1))
    loss = smoothed_cross_entropy(logits, tokens, lengths)
    total = sum(
        oracle.cross_entropy(row.double().numpy(), expected)
        for row, expected in zip(logits, labels, strict=True)
    )
    assert loss.item() == pytest.approx(total / lengths.sum().item(), rel=1e-6)


def test_without_neighbours_it_is_the_ordinary_cross_entropy() -> None:
    tokens, lengths, _ = random_batch()
    logits = torch.randn(5, 9, SIZE, generator=torch.Generator().manual_seed(1))
    valid = torch.arange(9) < lengths.unsqueeze(1)
    expected = torch.nn.functional.cross_entropy(logits[valid], tokens[valid])
    torch.testing.assert_close(smoothed_cross_entropy(logits, tokens, lengths, {}), expected)


def test_padding_has_no_gradient() -> None:
    tokens, lengths, _ = random_batch()
    logits = torch.randn(5, 9, SIZE, requires_grad=True)
    smoothed_cross_entropy(logits, tokens, lengths).backward()
    valid = torch.arange(9) < lengths.unsqueeze(1)
    assert (logits.grad[~valid] == 0).all()
    assert (logits.grad[valid] != 0).all()
