"""Weight noise: there for forward and backward, gone before the update."""

from itertools import pairwise

import pytest
import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from mocha_lightning.shares import Share
from mocha_lightning.training.determinism import SeededSteps
from mocha_lightning.training.weight_noise import WeightNoise

STEPS, START, STD = 5, 2, 0.075


class Watched(pl.LightningModule):
    """An embedding and an LSTM, which get noise, and a dense layer, which gets none.

    It notes its weights, its gradients and a random number where others would see them.
    """

    def __init__(self, std: float = STD, start: int = START) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding, self.lstm = nn.Embedding(50, 20), nn.LSTM(20, 20)
        self.dense = nn.Linear(20, 1)
        self.noise = WeightNoise(std, start, [nn.LSTM, nn.Embedding])
        self.forward_weights: list[dict[str, Tensor]] = []
        self.clean_weights: list[dict[str, Tensor]] = []
        self.gradients: list[dict[str, Tensor]] = []
        self.drawn: list[float] = []
        self.fail_at: int | None = None

    def configure_callbacks(self) -> list[pl.Callback]:
        return [self.noise]

    def weights(self) -> dict[str, Tensor]:
        return {name: value.detach().clone() for name, value in self.named_parameters()}

    def loss(self, batch: Tensor) -> Tensor:
        return self.dense(self.lstm(self.embedding(batch))[0]).square().sum()

    def training_step(self, batch: Tensor, batch_idx: int) -> Tensor:
        if self.fail_at == self.global_step:
            raise RuntimeError("told to")
        self.drawn.append(torch.rand(()).item())
        self.forward_weights.append(self.weights())
        return self.loss(batch)

    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer) -> None:
        self.clean_weights.append(self.weights())
        self.gradients.append({n: p.grad.clone() for n, p in self.named_parameters()})

    def validation_step(self, batch: Tensor, batch_idx: int) -> None:
        self.forward_weights.append(self.weights())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.01)


BATCHES = [torch.arange(50)[:, None] for _ in range(STEPS)]


def trainer(**arguments) -> pl.Trainer:
    quiet = {
        **{"logger": False, "enable_checkpointing": False, "enable_progress_bar": False},
        **{"enable_model_summary": False, "accelerator": "cpu", "max_steps": STEPS},
        "max_epochs": -1,
    }
    return pl.Trainer(**{**quiet, **arguments})


@pytest.fixture
def trained() -> Watched:
    model = Watched()
    trainer().fit(model, DataLoader(BATCHES, batch_size=None))
    return model


NOISY = ("embedding", "lstm")


def test_from_its_first_step_on_each_parameter_of_those_layers_has_noise(trained: Watched) -> None:
    for step, (there, clean) in enumerate(
        zip(trained.forward_weights, trained.clean_weights, strict=True)
    ):
        for name in there:
            noisy = step >= START and name.startswith(NOISY)
            assert torch.equal(there[name], clean[name]) is not noisy, (step, name)


def test_it_is_gaussian_and_fresh_every_step(trained: Watched) -> None:
    noises = [
        torch.cat([(there[name] - clean[name]).flatten() for name in there if "dense" not in name])
        for there, clean in zip(
            trained.forward_weights[START:], trained.clean_weights[START:], strict=True
        )
    ]
    all_of_it = torch.cat(noises) / STD
    assert all_of_it.mean().item() == pytest.approx(0, abs=0.03)
    assert all_of_it.std().item() == pytest.approx(1, abs=0.03)
    assert (all_of_it.abs() < 1).double().mean().item() == pytest.approx(0.683, abs=0.02)
    for one, other in pairwise(noises):
        assert torch.corrcoef(torch.stack([one, other]))[0, 1].abs() < 0.05


def test_the_gradient_is_that_at_the_noisy_weights(trained: Watched) -> None:
    fresh = Watched()
    fresh.load_state_dict(trained.forward_weights[-1])
    fresh.loss(BATCHES[-1]).backward()
    for name, parameter in fresh.named_parameters():
        torch.testing.assert_close(trained.gradients[-1][name], parameter.grad)


def test_the_update_begins_where_the_last_one_ended(trained: Watched) -> None:
    for step in range(STEPS - 1):
        for name, weight in trained.clean_weights[step].items():
            updated = weight - 0.01 * trained.gradients[step][name]
            torch.testing.assert_close(trained.clean_weights[step + 1][name], updated)


def test_it_draws_nothing_before_it_starts() -> None:
    runs = []
    for std in (0.0, STD):
        model = Watched(std)
        torch.manual_seed(7)
        trainer().fit(model, DataLoader(BATCHES, batch_size=None))
        runs.append(model.drawn)
    without, with_noise = runs
    assert with_noise[:START] == without[:START]
    assert with_noise[START] != without[START]


def test_there_is_none_in_evaluation() -> None:
    model = Watched(start=0)
    before = model.weights()
    trainer().validate(model, DataLoader(BATCHES, batch_size=None), verbose=False)
    for there in model.forward_weights:
        assert all(torch.equal(there[name], before[name]) for name in before)


def test_a_step_that_fails_leaves_the_weights_without_noise() -> None:
    model = Watched(start=0)
    model.fail_at = 2
    with pytest.raises(RuntimeError, match="told to"):
        trainer().fit(model, DataLoader(BATCHES, batch_size=None))
    last, gradients = model.clean_weights[-1], model.gradients[-1]
    for name, weight in model.weights().items():
        torch.testing.assert_close(weight, last[name] - 0.01 * gradients[name])


@pytest.mark.parametrize("wrong", [(-0.1, 0), (0.1, -1)])
def test_a_negative_number_is_refused(wrong: tuple[float, int]) -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        WeightNoise(*wrong, [nn.LSTM])


def test_all_parts_of_a_batch_see_one_sample_and_draw_their_own_numbers_after_it() -> None:
    first, second = Watched(), Watched()
    for process, model in enumerate((first, second)):
        seeded = SeededSteps(0, Share(process, processes=2))
        trainer(callbacks=[seeded]).fit(model, DataLoader(BATCHES, batch_size=None))
    for here, there in zip(first.forward_weights, second.forward_weights, strict=True):
        assert all(torch.equal(here[name], there[name]) for name in here)
    assert len(first.drawn) == STEPS
    assert all(one != other for one, other in zip(first.drawn, second.drawn, strict=True))
