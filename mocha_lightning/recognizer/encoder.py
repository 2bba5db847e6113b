"""The recogniser's encoder: convolutions, a convolutional LSTM among them, then LSTMs (A.1)."""

import math
from typing import TypeVar, cast

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mocha_lightning.lengths import within
from mocha_lightning.recognizer.convolutional_lstm import ConvolutionalLSTM
from mocha_lightning.recognizer.normalization import MaskedBatchNorm

Length = TypeVar("Length", int, Tensor)
LSTMState = tuple[Tensor, Tensor]


class Encoder(nn.Module):
    """Features to memory h, at a quarter of the frame rate.

    Two 3x3 convolutions of stride 2x2, a convolutional LSTM, a 3x3 convolution of stride 1, then
    LSTM layers, each followed by a dense layer; batch normalisation and ReLU after every
    convolution and dense layer.

    Args:
        channels: channels of the features (3 with delta and delta-delta).
        mel_bins: mel coefficients per channel.
        filters: filters per convolution.
        hidden_dim: width of the LSTM and dense layers, dim(h_j).
        layers: number of LSTM layers.
        convolutional_lstm: whether there is the convolutional LSTM; it costs a step in time for
            every memory entry.
        causal: whether the convolutions are padded at the beginning alone, so that a memory entry
            sees no feature frame after its own (which is the fourth, eighth... after the first).
            Otherwise they see as many frames to either side.
        kernel_frames: frames that each convolution sees, an odd number (3 in the paper; more is
            the wider temporal receptive field of section 4.1).

    Raises:
        ValueError: ``kernel_frames`` is even or less than 3.
    """

    def __init__(
        self,
        channels: int,
        mel_bins: int,
        filters: int,
        hidden_dim: int,
        layers: int,
        convolutional_lstm: bool = True,
        causal: bool = False,
        kernel_frames: int = 3,
    ) -> None:
        super().__init__()
        if kernel_frames < 3 or kernel_frames % 2 == 0:
            raise ValueError(
                f"kernel_frames must be odd and at least 3 (a frame and as many to either side), "
                f"not {kernel_frames}"
            )
        self.memory_dim = hidden_dim
        """dim(h_j)."""
        self.convolutions = nn.ModuleList(
            [
                ConvolutionBlock(channels, filters, kernel_frames, 2, causal),
                ConvolutionBlock(filters, filters, kernel_frames, 2, causal),
                ConvolutionBlock(filters, filters, kernel_frames, 1, causal),
            ]
        )
        reduced_bins = halved(halved(mel_bins))
        sizes = [filters * reduced_bins, *[hidden_dim] * layers]
        self.recurrences = nn.ModuleList(
            RecurrentBlock(size, hidden_dim) for size in sizes[:layers]
        )
        self.convolutional_lstm = ConvolutionalLSTM(filters) if convolutional_lstm else None

    @property
    def lookahead(self) -> int:
        """Feature frames after its own (the 4j-th, counted from 0) that entry j depends on."""
        frames, rate = 0, 1
        for block in self.convolutions:
            assert isinstance(block, ConvolutionBlock)
            frames += block.ahead * rate
            rate *= block.stride
        return frames

    @property
    def frames_per_entry(self) -> int:
        """Feature frames from one memory entry to the next."""
        return math.prod(cast(ConvolutionBlock, block).stride for block in self.convolutions)

    def forward(
        self,
        features: Float[Tensor, "batch frames channels mel"],
        lengths: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch time hidden_dim"], Bool[Tensor, "batch time"]]:
        """The memory, and which of its entries belong to the utterance."""
        x = features.transpose(1, 2)
        *strided, last = self.convolutions
        for convolution in strided:
            x, lengths = convolution(x, lengths)
        valid = within(lengths, x.shape[2])
        if self.convolutional_lstm is not None:
            # The convolution after it must see zeros after an utterance's end.
            x = self.convolutional_lstm(x) * valid[:, None, :, None]
        x, _ = last(x, lengths)
        h = x.permute(0, 2, 1, 3).flatten(2)
        for recurrence in self.recurrences:
            h = recurrence(h, valid)
        return h, valid


class ConvolutionBlock(nn.Module):
    """Convolution over frames and three mel bins, batch normalisation, ReLU; padding stays zero.

    Args:
        inputs: channels in.
        filters: channels out.
        frames: that the convolution sees.
        stride: in time and in frequency.
        causal: whether frame t is made of the inputs up to stride t, not of those to either side.
    """

    def __init__(self, inputs: int, filters: int, frames: int, stride: int, causal: bool) -> None:
        super().__init__()
        self.frames = frames
        self.stride = stride
        self.ahead = 0 if causal else frames // 2
        self.convolution = nn.Conv2d(
            inputs, filters, (frames, 3), stride, padding=(self.ahead, 1), bias=False
        )
        self.normalization = MaskedBatchNorm(filters)

    def forward(
        self, x: Float[Tensor, "batch inputs time mel"], lengths: Int[Tensor, " batch"]
    ) -> tuple[Float[Tensor, "batch filters time mel"], Int[Tensor, " batch"]]:
        """The filtered sequence and its lengths."""
        if self.ahead == 0:
            x = F.pad(x, (0, 0, self.frames - 1, 0))
        x = self.convolution(x)
        if self.stride == 2:
            lengths = halved(lengths)
        valid = within(lengths, x.shape[2])
        return torch.relu(self.normalization(x, valid)), lengths

    def frame(
        self, window: Float[Tensor, "1 inputs frames mel"]
    ) -> Float[Tensor, "1 filters 1 reduced_mel"]:
        """One frame, of those that it is made of (zeros where the utterance has none)."""
        x = F.conv2d(window, self.convolution.weight, stride=self.stride, padding=(0, 1))
        return torch.relu(self.normalization(x, x.new_ones(1, 1, dtype=torch.bool)))


class RecurrentBlock(nn.Module):
    """LSTM, dense layer, batch normalisation, ReLU.

    Args:
        inputs: size in.
        hidden_dim: size out, of both the LSTM and the dense layer.
    """

    def __init__(self, inputs: int, hidden_dim: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden_dim, batch_first=True)
        # Without a bias: the normalisation after it has one.
        self.dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.normalization = MaskedBatchNorm(hidden_dim)

    def forward(
        self, x: Float[Tensor, "batch time inputs"], valid: Bool[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time hidden_dim"]:
        """The layer's output, zero at padding."""
        dense = self.dense(self.lstm(x)[0]).transpose(1, 2)
        return torch.relu(self.normalization(dense, valid)).transpose(1, 2)

    def frame(
        self, x: Float[Tensor, "1 1 inputs"], state: LSTMState | None
    ) -> tuple[Float[Tensor, "1 1 hidden_dim"], LSTMState]:
        """The output for one frame, and the LSTM's state after it; None is the state at first."""
        hidden, state = self.lstm(x, state)
        dense = self.dense(hidden).transpose(1, 2)
        valid = x.new_ones(1, 1, dtype=torch.bool)
        return torch.relu(self.normalization(dense, valid)).transpose(1, 2), state


def halved(length: Length) -> Length:
    """Length after a convolution of stride 2 with one frame of padding less than it is wide."""
    return (length + 1) // 2
