"""The recogniser's encoder: convolutions, a convolutional LSTM among them, then LSTMs (A.1)."""

from typing import TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mocha_lightning.recognizer.convolutional_lstm import ConvolutionalLSTM
from mocha_lightning.recognizer.normalization import MaskedBatchNorm

Length = TypeVar("Length", int, Tensor)


class Encoder(nn.Module):
    """Features to memory h, at a quarter of the frame rate.

    Two 3x3 convolutions of stride 2x2, a convolutional LSTM, a 3x3 convolution of stride 1, then
    LSTM layers, each followed by a dense layer; batch normalisation and ReLU after every
    convolution and dense layer. Symmetric padding lets a memory entry see 7 feature frames ahead
    of its own.

    Args:
        channels: channels of the features (3 with delta and delta-delta).
        mel_bins: mel coefficients per channel.
        filters: filters per convolution.
        hidden_dim: width of the LSTM and dense layers, dim(h_j).
        layers: number of LSTM layers.
        convolutional_lstm: whether there is the convolutional LSTM; it costs a step in time for
            every memory entry.
    """

    def __init__(
        self,
        channels: int,
        mel_bins: int,
        filters: int,
        hidden_dim: int,
        layers: int,
        convolutional_lstm: bool = True,
    ) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            [
                ConvolutionBlock(channels, filters, stride=2),
                ConvolutionBlock(filters, filters, stride=2),
                ConvolutionBlock(filters, filters, stride=1),
            ]
        )
        reduced_bins = halved(halved(mel_bins))
        sizes = [filters * reduced_bins, *[hidden_dim] * layers]
        self.recurrences = nn.ModuleList(
            RecurrentBlock(size, hidden_dim) for size in sizes[:layers]
        )
        self.convolutional_lstm = ConvolutionalLSTM(filters) if convolutional_lstm else None

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
        valid = valid_frames(lengths, x.shape[2])
        if self.convolutional_lstm is not None:
            # The convolution after it must see zeros after an utterance's end.
            x = self.convolutional_lstm(x) * valid[:, None, :, None]
        x, _ = last(x, lengths)
        h = x.permute(0, 2, 1, 3).flatten(2)
        for recurrence in self.recurrences:
            h = recurrence(h, valid)
        return h, valid


class ConvolutionBlock(nn.Module):
    """3x3 convolution, batch normalisation, ReLU; padded frames stay zero.

    Args:
        inputs: channels in.
        filters: channels out.
        stride: in time and in frequency.
    """

    def __init__(self, inputs: int, filters: int, stride: int) -> None:
        super().__init__()
        self.stride = stride
        self.convolution = nn.Conv2d(inputs, filters, 3, stride, padding=1, bias=False)
        self.normalization = MaskedBatchNorm(filters)

    def forward(
        self, x: Float[Tensor, "batch inputs time mel"], lengths: Int[Tensor, " batch"]
    ) -> tuple[Float[Tensor, "batch filters time mel"], Int[Tensor, " batch"]]:
        """The filtered sequence and its lengths."""
        x = self.convolution(x)
        if self.stride == 2:
            lengths = halved(lengths)
        valid = valid_frames(lengths, x.shape[2])
        return torch.relu(self.normalization(x, valid)), lengths


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


def valid_frames(lengths: Int[Tensor, " batch"], time: int) -> Bool[Tensor, "batch time"]:
    """True for the frames before each utterance's end."""
    return torch.arange(time, device=lengths.device) < lengths.unsqueeze(1)


def halved(length: Length) -> Length:
    """Length after a 3-wide convolution of stride 2 with one frame of padding on either side."""
    return (length + 1) // 2
