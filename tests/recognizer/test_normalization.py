"""Batch normalisation over valid frames is torch's over those frames packed together."""

import pytest
import torch
from torch import Tensor, nn

from mocha_lightning.recognizer.normalization import MaskedBatchNorm

CHANNELS = 3
REST = [(), (5,)]
"""Without and with a frequency axis."""


def batch(rest: tuple[int, ...], seed: int = 0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = 2 * torch.randn(4, CHANNELS, 7, *rest, generator=generator) + 3
    return x, torch.arange(7) < torch.tensor([7, 1, 4, 6]).unsqueeze(1)


def packed(x: Tensor, valid: Tensor) -> Tensor:
    """The valid frames of all utterances, (frames, channels, *rest)."""
    return x.transpose(1, 2)[valid]


def pair() -> tuple[MaskedBatchNorm, nn.BatchNorm1d]:
    torch.manual_seed(0)
    ours, theirs = MaskedBatchNorm(CHANNELS), nn.BatchNorm1d(CHANNELS)
    with torch.no_grad():
        ours.scale.uniform_(0.5, 2)
        ours.shift.uniform_(-1, 1)
        theirs.weight.copy_(ours.scale)
        theirs.bias.copy_(ours.shift)
    return ours, theirs


@pytest.mark.parametrize("rest", REST)
def test_values_and_gradients_in_training(rest: tuple[int, ...]) -> None:
    ours, theirs = pair()
    x, valid = batch(rest)
    mine, its = x.clone().requires_grad_(), x.clone().requires_grad_()
    found, expected = packed(ours(mine, valid), valid), theirs(packed(its, valid))
    torch.testing.assert_close(found, expected)
    grad = torch.randn_like(found)
    found.backward(grad)
    expected.backward(grad)
    torch.testing.assert_close(mine.grad, its.grad)
    torch.testing.assert_close(ours.scale.grad, theirs.weight.grad)
    torch.testing.assert_close(ours.shift.grad, theirs.bias.grad)


@pytest.mark.parametrize("rest", REST)
def test_running_statistics_and_values_after_training(rest: tuple[int, ...]) -> None:
    ours, theirs = pair()
    for seed in range(5):
        x, valid = batch(rest, seed)
        ours(x.clone().requires_grad_(), valid)
        theirs(packed(x, valid))
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)
    torch.testing.assert_close(ours.running_variance, theirs.running_var)
    assert not ours.running_mean.requires_grad
    assert not ours.running_variance.requires_grad
    x, valid = batch(rest, seed=9)
    found = packed(ours.eval()(x, valid), valid)
    torch.testing.assert_close(found, theirs.eval()(packed(x, valid)))


def test_statistics_stay_as_they_are_outside_training() -> None:
    ours, _ = pair()
    before = {name: tensor.clone() for name, tensor in ours.state_dict().items()}
    ours.eval()(*batch(()))
    assert all(torch.equal(tensor, before[name]) for name, tensor in ours.state_dict().items())


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("rest", REST)
def test_padding_is_not_seen_and_comes_out_as_zero(rest: tuple[int, ...], training: bool) -> None:
    x, valid = batch(rest)
    mask = valid.view(4, 1, 7, *[1] * len(rest))
    results = []
    for filling in (0.0, 1e3):
        ours, _ = pair()
        y = ours.train(training)(torch.where(mask, x, filling), valid)
        assert (y.transpose(1, 2)[~valid] == 0).all()
        results.append((y, ours.running_mean, ours.running_variance))
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a, b)


def test_a_single_frame_leaves_the_statistics_finite() -> None:
    ours, _ = pair()
    y = ours(torch.full((1, CHANNELS, 1), 2.0), torch.ones(1, 1, dtype=torch.bool))
    torch.testing.assert_close(y[0, :, 0], ours.shift)
    assert ours.running_variance.isfinite().all()


def test_statistics_are_float32_in_half_precision() -> None:
    ours, _ = pair()
    x, valid = batch(())
    with torch.autocast("cpu", torch.bfloat16):
        y = ours(x.bfloat16(), valid)
    assert ours.running_mean.dtype == torch.float32
    torch.testing.assert_close(y, pair()[0](x.bfloat16().float(), valid))
