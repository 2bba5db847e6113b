"""The convolutional LSTM: Shi et al.'s equations, forward in time."""

import pytest
import torch
from oracles.convolutional_lstm import convolutional_lstm
from torch import Tensor

from mocha_lightning.recognizer.convolutional_lstm import ConvolutionalLSTM


def layer(filters: int = 3) -> ConvolutionalLSTM:
    torch.manual_seed(0)
    return ConvolutionalLSTM(filters).double()


def frames(time: int, batch: int = 2, mel: int = 5, filters: int = 3) -> Tensor:
    generator = torch.Generator().manual_seed(time)
    return 2 * torch.randn(batch, filters, time, mel, generator=generator, dtype=torch.double)


@pytest.mark.parametrize("mel", [1, 2, 5])
@pytest.mark.parametrize("time", [1, 6])
def test_it_is_the_equations(time: int, mel: int) -> None:
    module, x = layer(), frames(time, mel=mel)
    with torch.no_grad():
        found = module(x)
    inputs, bias = module.inputs.weight[:, :, 0], module.inputs.bias
    weights = [each.detach().numpy() for each in (inputs, bias, module.recurrence.weight)]
    for row, utterance in enumerate(x):
        expected = torch.from_numpy(convolutional_lstm(utterance.numpy(), *weights))
        torch.testing.assert_close(found[row], expected, rtol=0, atol=1e-12)


def test_its_gradients_are_right() -> None:
    module, x = layer(2), frames(4, mel=3, filters=2).requires_grad_()
    names, parameters = zip(*module.named_parameters(), strict=True)

    def run(x: Tensor, *values: Tensor) -> Tensor:
        return torch.func.functional_call(module, dict(zip(names, values, strict=True)), x)

    assert torch.autograd.gradcheck(run, (x, *parameters))


def test_a_frame_does_not_see_those_after_it() -> None:
    module, x = layer(), frames(6)
    changed = x.clone()
    changed[:, :, 4:] += 1
    torch.testing.assert_close(module(x)[:, :, :4], module(changed)[:, :, :4], rtol=0, atol=0)
    assert (module(x)[:, :, 4:] != module(changed)[:, :, 4:]).all()


def test_it_goes_on_from_a_state() -> None:
    module, x = layer(), frames(7)
    first, state = module.advance(x[:, :, :3], module.start(x))
    second, _ = module.advance(x[:, :, 3:], state)
    torch.testing.assert_close(torch.cat([first, second], 2), module(x))


def test_the_forget_gate_begins_open() -> None:
    """Its bias at 1, every other at 0."""
    assert layer().inputs.bias.tolist() == [0] * 3 + [1] * 3 + [0] * 6


def test_its_state_is_not_of_half_precision_under_autocast() -> None:
    module = layer().float()
    with torch.autocast("cpu", torch.bfloat16):
        assert module(frames(3).float()).dtype == torch.float32
