"""Training ends at the first tensor that is no number, and says which it was."""

from collections.abc import Callable

import pytest
import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from mocha_lightning.errors import DivergedError
from mocha_lightning.training.divergence import StopOnDivergence

NAN, INF = float("nan"), float("inf")


class Line(pl.LightningModule):
    """Two layers in a row, whose loss a test may spoil."""

    def __init__(self, spoil: Callable[["Line", Tensor], Tensor]) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 1)
        self.spoil = spoil

    def training_step(self, batch: Tensor, batch_idx: int) -> Tensor:
        loss = self.second(self.first(batch)).square().mean()
        return self.spoil(self, loss) if self.global_step == 3 else loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters())


def train(spoil: Callable[[Line, Tensor], Tensor], **options: object) -> Line:
    line = Line(spoil)
    pl.Trainer(
        max_steps=6,
        accelerator="cpu",
        callbacks=[StopOnDivergence()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        gradient_clip_val=1.0,
        **options,
    ).fit(line, DataLoader([torch.ones(2)] * 6))
    return line


def endless_gradient(line: Line, loss: Tensor) -> Tensor:
    """The loss is finite, and only what comes back to the first layer is not."""
    line.first.weight.register_hook(lambda gradient: torch.full_like(gradient, INF))
    return loss


def opposed_gradients(line: Line, loss: Tensor) -> Tensor:
    """Infinite ones of both signs, which no sum may make up for."""
    endless_gradient(line, loss)
    line.second.weight.register_hook(lambda gradient: torch.full_like(gradient, -INF))
    return loss


def broken_weight(line: Line, loss: Tensor) -> Tensor:
    """What an update with too large a rate does."""
    with torch.no_grad():
        line.second.bias.fill_(-INF)
    return loss * NAN


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda _, loss: loss * NAN, "the training loss was nan at step 3"),
        (lambda _, loss: loss + INF, "the training loss was inf at step 3"),
        (broken_weight, "second.bias was -inf at step 3"),
        (endless_gradient, "the gradient of first.weight was inf at step 3"),
        (opposed_gradients, "the gradient of first.weight was inf (and of 1 more of 4) at step 3"),
        # The root of 0 has no slope: 0 times infinity, in all that is behind it.
        (
            lambda _, loss: loss + (0 * loss).sqrt(),
            "the gradient of first.weight was nan (and of 3 more of 4) at step 3",
        ),
    ],
)
def test_the_first_tensor_that_is_no_number_is_named(
    spoil: Callable[[Line, Tensor], Tensor], said: str
) -> None:
    with pytest.raises(DivergedError) as caught:
        train(spoil)
    assert str(caught.value) == said
    assert caught.value.step == 3


def test_weights_that_have_no_gradient_are_passed_over() -> None:
    """Such as one that the loss of a step does not depend on."""

    def without_second(line: Line, loss: Tensor) -> Tensor:
        return line.first(torch.ones(2)).square().mean()

    line = train(without_second)
    assert line.global_step == 6


def test_no_weight_is_touched_by_it() -> None:
    lines: list[Line] = []

    def spoil(line: Line, loss: Tensor) -> Tensor:
        lines.append(line)
        return endless_gradient(line, loss)

    with pytest.raises(DivergedError):
        train(spoil)
    assert all(weight.isfinite().all() for weight in lines[0].parameters())


def test_gradients_that_are_finite_and_huge_are_clipped_as_ever() -> None:
    """Their squares are beyond float32."""
    line = train(lambda _, loss: loss * 1e30 / loss.item())
    assert all(weight.isfinite().all() for weight in line.parameters())


def test_what_a_scaler_deals_with_itself_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 16-mixed precision a step whose gradients are infinite is left out by it."""
    trainer = pl.Trainer(accelerator="cpu", logger=False)
    monkeypatch.setattr(trainer.precision_plugin, "scaler", object(), raising=False)
    line = Line(endless_gradient)
    line.first.weight.grad = torch.full((2, 2), INF)
    stop = StopOnDivergence()
    stop.on_train_start(trainer, line)
    stop.on_after_backward(trainer, line)
