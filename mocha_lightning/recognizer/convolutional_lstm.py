"""A convolutional LSTM layer over time, with filters over frequency (Shi et al. 2015)."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

WIDTH = 3
"""Of the filters in frequency: 1x3 in time and frequency (Appendix A.1)."""


class ConvolutionalState(NamedTuple):
    """What the layer carries from one frame to the next."""

    hidden: Float[Tensor, "batch mel filters"]
    cell: Float[Tensor, "batch mel filters"]


class ConvolutionalLSTM(nn.Module):
    """An LSTM whose products with matrices are 1x3 convolutions over frequency, forward in time.

    Shi et al., *Convolutional LSTM Network* (2015), eq. 3, without its peepholes:

        i_t, f_t, g_t, o_t = W_x * X_t + W_h * H_{t-1} + b
        C_t = sigmoid(f_t) C_{t-1} + sigmoid(i_t) tanh(g_t),   H_t = sigmoid(o_t) tanh(C_t)

    H_0 = C_0 = 0; H_t and C_t have as many channels as X_t; the forget gate's bias starts at 1.
    Frames after t do not enter into H_t, so padding at an utterance's end changes nothing before.

    Args:
        filters: channels in and out.
    """

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.filters = filters
        self.inputs = nn.Conv2d(filters, 4 * filters, (1, WIDTH), padding=(0, WIDTH // 2))
        self.recurrence = nn.Conv1d(
            filters, 4 * filters, WIDTH, padding=WIDTH // 2, bias=False
        )  # for its weights alone: the loop below has it as one product of matrices
        bias = self.inputs.bias
        assert bias is not None
        nn.init.zeros_(bias)
        nn.init.ones_(bias[filters : 2 * filters])

    def forward(
        self, x: Float[Tensor, "batch filters time mel"]
    ) -> Float[Tensor, "batch filters time mel"]:
        """H_1 to H_T."""
        return self.advance(x, self.start(x))[0]

    def start(self, x: Float[Tensor, "batch filters time mel"]) -> ConvolutionalState:
        """H_0 and C_0, of the parameters' type: under autocast half precision is too coarse."""
        weight = self.recurrence.weight
        zeros = weight.new_zeros(len(x), x.shape[3], self.filters)
        return ConvolutionalState(zeros, zeros)

    def advance(
        self, x: Float[Tensor, "batch filters time mel"], state: ConvolutionalState
    ) -> tuple[Float[Tensor, "batch filters time mel"], ConvolutionalState]:
        """H of the frames ``x`` that follow on ``state``, and the state after them."""
        # What the input adds to the gates is one convolution for all frames. Channels come last,
        # so that a frame's windows of the hidden state are the rows of one product.
        frames = self.inputs(x).permute(2, 0, 3, 1).contiguous().unbind(0)
        matrix = self.recurrence.weight.permute(2, 1, 0).flatten(0, 1)
        hidden = []
        for added in frames:
            state = self._step(added, matrix, state)
            hidden.append(state.hidden)
        return torch.stack(hidden).permute(1, 3, 0, 2), state

    def _step(
        self,
        added: Float[Tensor, "batch mel gates"],
        matrix: Float[Tensor, "window gates"],
        state: ConvolutionalState,
    ) -> ConvolutionalState:
        padded = F.pad(state.hidden, (0, 0, WIDTH // 2, WIDTH // 2))
        mel = added.shape[1]
        windows = torch.cat([padded[:, k : k + mel] for k in range(WIDTH)], -1)
        gates = torch.addmm(added.flatten(0, 1), windows.flatten(0, 1), matrix).view_as(added)
        i, f, g, o = gates.chunk(4, -1)
        cell = torch.sigmoid(f) * state.cell + torch.sigmoid(i) * torch.tanh(g)
        return ConvolutionalState(torch.sigmoid(o) * torch.tanh(cell), cell)
