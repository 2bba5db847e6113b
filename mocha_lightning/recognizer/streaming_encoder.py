"""The encoder on features that come in pieces."""

from typing import Protocol, cast

import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.recognizer.convolutional_lstm import ConvolutionalLSTM, ConvolutionalState
from mocha_lightning.recognizer.encoder import (
    ConvolutionBlock,
    Encoder,
    LSTMState,
    RecurrentBlock,
)


class EncoderStream:
    """Gives each memory entry as soon as the frames that it depends on are there.

    Entry j needs the feature frames up to 4j + :attr:`Encoder.lookahead`, or the stream's end.

    Every layer computes one frame at a time, so that the same shapes go through the same kernels
    whatever the pieces: the memory is the same to the last bit however the features are cut. The
    offline encoder, in evaluation, computes all frames at once and differs by rounding alone
    (less than 1e-5). Kept are a convolution's frames but one and the states of the LSTMs,
    however long the stream.

    Args:
        encoder: in evaluation; its weights must not change while the stream is open.

    Raises:
        ValueError: the encoder is in training.
    """

    def __init__(self, encoder: Encoder) -> None:
        if encoder.training:
            raise ValueError("the encoder is in training: call eval() first")
        convolutions = [cast(ConvolutionBlock, block) for block in encoder.convolutions]
        recurrences = [cast(RecurrentBlock, block) for block in encoder.recurrences]
        self._stages: list[_Stage] = [
            *(_Convolution(block) for block in convolutions),
            *(_Recurrent(block) for block in recurrences),
        ]
        if encoder.convolutional_lstm is not None:
            # Before the last convolution, as in the encoder.
            self._stages.insert(len(convolutions) - 1, _Convolutional(encoder.convolutional_lstm))
        dense = recurrences[-1].dense
        self._nothing = dense.weight.new_empty(0, dense.out_features)

    @torch.inference_mode()
    def accept(
        self, features: Float[Tensor, "frames channels mel"]
    ) -> Float[Tensor, "entries hidden_dim"]:
        """The memory entries that some more feature frames make complete."""
        # Each frame in memory of its own: where it lies in a piece must not matter to a kernel.
        frames = [frame[None, :, None].clone() for frame in features]
        return self._memory(self._through(frames, 0))

    @torch.inference_mode()
    def finish(self) -> Float[Tensor, "entries hidden_dim"]:
        """The entries that were left, now that there are no more frames."""
        left: list[Tensor] = []
        for number, stage in enumerate(self._stages):
            # What a stage still gives goes through those after it before they end too.
            left += self._through(stage.finish(), number + 1)
        return self._memory(left)

    def _through(self, frames: list[Tensor], first: int) -> list[Tensor]:
        for stage in self._stages[first:]:
            frames = [out for frame in frames for out in stage.push(frame)]
        return frames

    def _memory(self, entries: list[Tensor]) -> Float[Tensor, "entries hidden_dim"]:
        return torch.stack([entry.flatten() for entry in entries]) if entries else self._nothing


class _Stage(Protocol):
    """A layer that is given its frames one by one."""

    def push(self, frame: Tensor) -> list[Tensor]:
        """The outputs that one more frame makes complete."""

    def finish(self) -> list[Tensor]:
        """The outputs that the end of the frames makes complete."""


class _Convolution:
    """A window of frames that moves on by the stride, with zeros before and after all."""

    def __init__(self, block: ConvolutionBlock) -> None:
        self.block = block
        self.window: list[Tensor] = []

    def push(self, frame: Float[Tensor, "1 inputs 1 mel"]) -> list[Tensor]:
        # Once begun it is never empty: it keeps what the next window shares with the last.
        before = self.block.frames - 1 - self.block.ahead
        self.window = self.window or [torch.zeros_like(frame)] * before
        self.window.append(frame)
        if len(self.window) < self.block.frames:
            return []
        out = self.block.frame(torch.cat(self.window, 2))
        del self.window[: self.block.stride]
        return [out]

    def finish(self) -> list[Tensor]:
        if not self.window:
            return []
        after = [torch.zeros_like(self.window[-1])] * self.block.ahead
        return [out for frame in after for out in self.push(frame)]


class _Convolutional:
    """The convolutional LSTM and its state."""

    def __init__(self, layer: ConvolutionalLSTM) -> None:
        self.layer = layer
        self.state: ConvolutionalState | None = None

    def push(self, frame: Float[Tensor, "1 filters 1 mel"]) -> list[Tensor]:
        if self.state is None:
            self.state = self.layer.start(frame)
        hidden, self.state = self.layer.advance(frame, self.state)
        return [hidden]

    def finish(self) -> list[Tensor]:
        return []


class _Recurrent:
    """An LSTM with its dense layer, and its state."""

    def __init__(self, block: RecurrentBlock) -> None:
        self.block = block
        self.state: LSTMState | None = None

    def push(self, frame: Float[Tensor, "1 *inputs"]) -> list[Tensor]:
        out, self.state = self.block.frame(frame.reshape(1, 1, -1), self.state)
        return [out]

    def finish(self) -> list[Tensor]:
        return []
