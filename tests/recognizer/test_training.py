"""The recogniser learns with every mechanism, and the head by the quantity loss too."""

import warnings

import pytest
import pytorch_lightning as pl
import torch
from attention.setting import HEADED
from attention.setting import MECHANISMS as EVERY_MECHANISM
from fitting import loader, scores, trainer
from oracles.quantity_loss import quantity

from mocha_lightning.attention import SoftAttention
from mocha_lightning.data import Vocabulary
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.recognizer.decoder import teacher_inputs

from .fitting import MONOTONIC_SCORES, SCORES, train
from .setting import ALL, MECHANISMS, speech, tiny


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_loss_of_a_repeated_batch_falls(name: str) -> None:
    losses = train(tiny(MECHANISMS[name], learning_rate=0.01), 30, gradient_clip_val=1.0)
    assert len(losses) == 30
    assert losses[1] < losses[0]
    assert losses[-1] < 0.7 * losses[0]


def test_the_same_seed_gives_the_same_losses() -> None:
    runs = [train(tiny(MECHANISMS["mocha"], seed=3), 3) for _ in range(2)]
    assert runs[0] == runs[1]


def test_the_mechanism_is_told_each_update() -> None:
    class Told(SoftAttention):
        def begin_update(self, step: int) -> None:
            steps.append(step)

    steps: list[int] = []
    train(tiny(Told), 6, accumulate_grad_batches=1)
    assert steps == list(range(6))


def test_the_schedule_moves_at_every_update() -> None:
    rates = []

    class Keep(pl.Callback):
        def on_train_batch_start(self, trainer, *_) -> None:
            rates.append(trainer.optimizers[0].param_groups[0]["lr"])

    task = tiny(learning_rate=0.1, schedule=lambda step: 1 / (step + 1))
    run = trainer(max_steps=4, max_epochs=-1, callbacks=[Keep()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run.fit(task, loader(*[speech(*ALL)] * 4))
    assert rates == pytest.approx([0.1, 0.05, 0.1 / 3, 0.025])


@pytest.mark.parametrize("name", EVERY_MECHANISM)
def test_every_mechanism_trains_and_is_scored_deterministically(name: str) -> None:
    """Under the flag by which PyTorch refuses what could differ from run to run."""
    torch.use_deterministic_algorithms(True)
    try:
        tasks = [tiny(EVERY_MECHANISM[name], learning_rate=0.01) for _ in range(2)]
        runs = [train(task, 3, gradient_clip_val=1.0) for task in tasks]
        found = [
            {**scores(task, speech(*ALL)), **scores(task, speech(*ALL), split="test")}
            for task in tasks
        ]
    finally:
        torch.use_deterministic_algorithms(False)
    assert runs[0] == runs[1]
    assert found[0] == found[1]
    assert runs[0][2] < runs[0][0]
    expected = SCORES | MONOTONIC_SCORES if name in HEADED else SCORES
    assert set(found[0]) == {f"{split}/{score}" for split in ("val", "test") for score in expected}


@pytest.mark.usefixtures("mixed_precision")
@pytest.mark.parametrize("name", MECHANISMS)
def test_it_trains_under_autocast(name: str) -> None:
    losses = train(tiny(MECHANISMS[name], learning_rate=0.01), 5, precision="bf16-mixed")
    assert losses[-1] < losses[0]


# -- The quantity loss ---------------------------------------------------------------------------


def logged(task: SpeechRecognizer) -> tuple[dict[str, float], float]:
    """What a training step logs and returns."""
    values = {}
    task.log = lambda name, value, **_: values.update({name: value.item()})
    return values, task.training_step(speech(*ALL), 0).item()


@pytest.mark.parametrize("name", HEADED)
def test_the_quantity_loss_is_added_with_its_weight_and_logged(name: str) -> None:
    plain, with_quantity = (tiny(HEADED[name], quantity_weight=w).eval() for w in (0.0, 0.3))
    batch = speech(*ALL)
    steps = plain.decoder(teacher_inputs(batch.tokens, Vocabulary.SOS), plain.encode(batch)).steps
    alphas = torch.stack([step.state for step in steps], 1).detach().double().numpy()
    expected = quantity(list(alphas), batch.token_lengths.tolist())
    values, loss = logged(with_quantity)
    assert values["train/quantity"] == pytest.approx(expected, rel=1e-5)
    assert expected > 0
    without, plain_loss = logged(plain)
    assert without == {"train/loss": plain_loss}
    assert values["train/loss"] == plain_loss
    assert loss == pytest.approx(plain_loss + 0.3 * expected, rel=1e-5)


@pytest.mark.parametrize("name", HEADED)
def test_the_quantity_loss_teaches_the_head_to_stop(name: str) -> None:
    task = tiny(HEADED[name], learning_rate=0.05, quantity_weight=1.0)
    quantities = []
    task.log = lambda name, value, **_: (
        quantities.append(value.item()) if name == "train/quantity" else None
    )
    train(task, 25)
    assert quantities[-1] < 0.7 * quantities[0]
