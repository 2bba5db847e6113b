"""The encoder: a quarter of the frame rate, and blind to padding."""

import math

import pytest
import torch

from mocha_lightning.recognizer.encoder import Encoder

from .setting import SPEC, features_of, padded


def encoder(**arguments) -> Encoder:
    torch.manual_seed(0)
    sizes = {"channels": SPEC.channels, "mel_bins": SPEC.mel_bins}
    return Encoder(**{**sizes, "filters": 4, "hidden_dim": 6, "layers": 2, **arguments})


def trained(**arguments) -> Encoder:
    """With running statistics that are not the initial ones, in evaluation."""
    module = encoder(**arguments)
    for seed in range(3):
        module(*padded([features_of(30, seed), features_of(21, seed + 10)]))
    return module.eval()


@pytest.mark.parametrize("kernel_frames", [3, 5])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("frames", range(1, 14))
def test_a_quarter_of_the_frames_rounded_up_twice(
    frames: int, causal: bool, kernel_frames: int
) -> None:
    module = encoder(causal=causal, kernel_frames=kernel_frames).eval()
    h, valid = module(*padded([features_of(frames), features_of(1)]))
    time = math.ceil(math.ceil(frames / 2) / 2)
    assert h.shape == (2, time, 6)
    assert valid.sum(1).tolist() == [time, 1]


@pytest.mark.parametrize("mel_bins", [5, 8, 40])
def test_any_number_of_mel_bins(mel_bins: int) -> None:
    module = encoder(mel_bins=mel_bins, channels=1)
    h, _ = module(torch.randn(2, 9, 1, mel_bins), torch.tensor([9, 4]))
    assert h.shape == (2, 3, 6)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("convolutional_lstm", [True, False])
def test_an_utterance_does_not_depend_on_its_batch(convolutional_lstm: bool, causal: bool) -> None:
    module = trained(convolutional_lstm=convolutional_lstm, causal=causal)
    utterances = [features_of(frames, frames) for frames in (37, 1, 20, 34, 35)]
    together, _ = module(*padded(utterances))
    for row, single in enumerate(utterances):
        alone, valid = module(*padded([single]))
        torch.testing.assert_close(together[row, : valid.sum()], alone[0])
        assert (together[row, valid.sum() :] == 0).all()


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("extra", [1, 2, 3, 10])
def test_more_padding_changes_nothing(extra: int, training: bool) -> None:
    module = encoder().train(training)
    utterances = [features_of(frames, frames) for frames in (37, 1, 20, 34)]
    (tight, valid), (wide, _) = (module(*padded(utterances, more)) for more in (0, extra))
    torch.testing.assert_close(tight[valid], wide[:, : tight.shape[1]][valid])
    assert (wide[:, tight.shape[1] :] == 0).all()


@pytest.mark.parametrize(
    ("causal", "kernel_frames", "ahead"),
    [(False, 3, 7), (False, 5, 14), (True, 3, 0), (True, 5, 0)],
)
def test_how_many_frames_an_entry_looks_ahead(causal: bool, kernel_frames: int, ahead: int) -> None:
    features, lengths = padded([features_of(60)])
    features.requires_grad_()
    module = trained(causal=causal, kernel_frames=kernel_frames)
    assert module.lookahead == ahead
    h, _ = module(features, lengths)
    for entry in (0, 3, 7):
        (grad,) = torch.autograd.grad(h[0, entry].sum(), features, retain_graph=True)
        seen = (grad[0].abs().sum((1, 2)) > 0).nonzero().flatten()
        assert seen.min() == 0
        assert seen.max() == 4 * entry + ahead


def test_a_wider_kernel_looks_back_as_far_as_ahead() -> None:
    features, lengths = padded([features_of(60)])
    features.requires_grad_()
    # Without recurrence each entry is made of what the convolutions see alone.
    x = features.transpose(1, 2)
    for convolution in trained(kernel_frames=5, convolutional_lstm=False).convolutions:
        x, lengths = convolution(x, lengths)
    (grad,) = torch.autograd.grad(x[0, :, 7].sum(), features)
    seen = (grad[0].abs().sum((1, 2)) > 0).nonzero().flatten()
    assert (seen.min(), seen.max()) == (4 * 7 - 14, 4 * 7 + 14)


@pytest.mark.parametrize("kernel_frames", [-1, 1, 4])
def test_a_kernel_has_a_middle_and_more(kernel_frames: int) -> None:
    with pytest.raises(ValueError, match="kernel_frames must be odd and at least 3"):
        encoder(kernel_frames=kernel_frames)


def test_every_parameter_learns() -> None:
    module = encoder()
    h, _ = module(*padded([features_of(30), features_of(21, 1)]))
    h.square().sum().backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, name
        assert (parameter.grad != 0).any(), name


@pytest.mark.parametrize("convolutional_lstm", [True, False])
def test_size_at_the_paper_s_numbers(convolutional_lstm: bool) -> None:
    """Appendix A.1."""
    module = Encoder(
        channels=3,
        mel_bins=80,
        filters=32,
        hidden_dim=256,
        layers=3,
        convolutional_lstm=convolutional_lstm,
    )
    convolutions = 32 * 9 * (3 + 32 + 32) + 3 * 2 * 32
    gates = 4 * 32 * (3 * (32 + 32) + 1) if convolutional_lstm else 0
    widths = [32 * 20, 256, 256]
    recurrences = sum(4 * 256 * (width + 256 + 2) + 256 * 256 + 2 * 256 for width in widths)
    assert sum(p.numel() for p in module.parameters()) == convolutions + gates + recurrences
