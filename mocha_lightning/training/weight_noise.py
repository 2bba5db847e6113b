"""Variational weight noise (Graves 2011; Appendix A.1)."""

from collections.abc import Sequence
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor, nn

from mocha_lightning.training.determinism import same_in_all_parts


class WeightNoise(pl.Callback):
    """Gaussian noise on the parameters of some layers, in training only.

    Graves, *Practical Variational Inference for Neural Networks* (2011), in the fixed form that
    Graves (2013) and the paper use: every training step draws one sample for each parameter, adds
    it before the forward pass and takes it away after the backward pass. So the gradient is that
    at the noisy parameters, and the update, like evaluation and checkpoints, sees those without.

    Until it starts it draws no random numbers: a run that ends before is the same without it.
    From then on they come from the global random state, which a run sets anew at every step
    (:mod:`mocha_lightning.training.determinism`), so a resumed run draws the same ones. All parts
    of a batch that is shared see one sample, as the whole batch would.

    Args:
        std: standard deviation (the paper: 0.075).
        start: training steps before the first with noise (the paper: 20,000).
        layers: classes of the modules to whose parameters it is added.

    Raises:
        ValueError: a negative deviation or start.
    """

    def __init__(self, std: float, start: int, layers: Sequence[type[nn.Module]]) -> None:
        if std < 0 or start < 0:
            raise ValueError(f"std and start cannot be negative: {std}, {start}")
        self.std = std
        self.start = start
        self.layers = tuple(layers)
        self._clean: list[tuple[nn.Parameter, Tensor]] = []

    def parameters(self, model: nn.Module) -> list[nn.Parameter]:
        """Those that get noise, in the order in which it is drawn."""
        layers = (module for module in model.modules() if isinstance(module, self.layers))
        return list(dict.fromkeys(each for layer in layers for each in layer.parameters()))

    @torch.no_grad()
    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Add the noise of this step."""
        if self.std == 0 or trainer.global_step < self.start:
            return
        with same_in_all_parts(trainer, batch_idx):
            for parameter in self.parameters(pl_module):
                self._clean.append((parameter, parameter.clone()))
                parameter.add_(torch.randn_like(parameter), alpha=self.std)

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Bring back the parameters' own bits, before gradients are clipped and applied."""
        self._restore()

    def on_exception(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, exception: BaseException
    ) -> None:
        """The same where the step did not come to its backward pass."""
        self._restore()

    @torch.no_grad()
    def _restore(self) -> None:
        for parameter, clean in self._clean:
            parameter.copy_(clean)
        self._clean.clear()
