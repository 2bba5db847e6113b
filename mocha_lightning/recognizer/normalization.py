"""Batch normalisation that does not see padding."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from mocha_lightning.training.processes import total


class MaskedBatchNorm(nn.Module):
    """Batch normalisation (Ioffe and Szegedy 2015) over an utterance's own frames only.

    With padding in the statistics, a model's output would depend on which utterances share its
    batch. Padded frames come out as zero. On the frames that are left it is torch's BatchNorm: the
    batch's own (biased) variance normalises it, the unbiased one enters the running statistics.
    The batch is that of all processes which share it.

    Args:
        channels: size of the second axis, normalised one by one.
        momentum: weight of the newest batch in the running statistics used at test time.
        epsilon: added to the variance.
    """

    running_mean: Tensor
    running_variance: Tensor

    def __init__(self, channels: int, momentum: float = 0.1, epsilon: float = 1e-5) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(channels))
        self.shift = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_variance", torch.ones(channels))
        self.momentum = momentum
        self.epsilon = epsilon

    def forward(
        self, x: Float[Tensor, "batch channels time *rest"], valid: Bool[Tensor, "batch time"]
    ) -> Float[Tensor, "batch channels time *rest"]:
        """Normalise each channel; ``valid`` says which frames are not padding."""
        broadcast = (1, -1, *[1] * (x.ndim - 2))
        # Of the parameters' type: under autocast it raises x, whose half precision is too coarse.
        mask = valid.view(len(x), 1, -1, *[1] * (x.ndim - 3)).to(self.scale.dtype)
        if self.training:
            axes = [0, *range(2, x.ndim)]
            count = total(valid.sum()) * x[0, 0, 0].numel()
            mean = total((x * mask).sum(axes)) / count
            centred = (x - mean.view(broadcast)) * mask
            variance = total(centred.square().sum(axes)) / count
            with torch.no_grad():
                self.running_mean.lerp_(mean, self.momentum)
                unbiased = variance * count / (count - 1).clamp_min(1)
                self.running_variance.lerp_(unbiased, self.momentum)
        else:
            mean, variance = self.running_mean, self.running_variance
            centred = (x - mean.view(broadcast)) * mask
        scale = (self.scale * torch.rsqrt(variance + self.epsilon)).view(broadcast)
        return centred * scale + self.shift.view(broadcast) * mask
