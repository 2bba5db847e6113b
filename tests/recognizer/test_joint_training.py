"""Attention's loss with a share of CTC's on the same encoder (Hori et al. 2017)."""

import pytest
import torch
from fitting import scores

from mocha_lightning.attention import SoftAttention
from mocha_lightning.data import Vocabulary
from mocha_lightning.recognizer.base import Recognizer
from mocha_lightning.recognizer.decoder import teacher_inputs
from mocha_lightning.training.label_smoothing import smoothed_cross_entropy

from .fitting import SCORES, train
from .setting import ALL, MECHANISMS, speech, tiny, tiny_ctc

WEIGHT = 0.3
BATCH = speech(*ALL)


def stepped(task: Recognizer) -> tuple[dict[str, float], float]:
    """What a training step logs and returns; its gradients are left in the parameters."""
    logged: dict[str, float] = {}
    task.log = lambda name, value, **_: logged.update({name: value.item()})
    loss = task.training_step(BATCH, 0)
    loss.backward()
    return logged, loss.item()


def gradient(task: Recognizer, part: str) -> torch.Tensor:
    parameters = getattr(task, part).parameters()
    return torch.cat([parameter.grad.flatten() for parameter in parameters])


@pytest.mark.parametrize("name", MECHANISMS)
def test_all_else_starts_from_the_same_weights(name: str) -> None:
    joint = tiny(MECHANISMS[name], seed=4, ctc_weight=WEIGHT).state_dict()
    plain = tiny(MECHANISMS[name], seed=4).state_dict()
    alone = tiny_ctc(seed=4).state_dict()
    layer = {"ctc.output.weight", "ctc.output.bias"}
    assert joint.keys() == plain.keys() | layer
    assert plain.keys().isdisjoint(layer)
    for expected in (plain, {key: alone[key] for key in layer}):
        for key, value in expected.items():
            assert torch.equal(joint[key], value), key


def test_without_a_weight_the_loss_is_attentions_to_the_last_bit() -> None:
    task = tiny(ctc_weight=0.0)
    logged, loss = stepped(task)
    memory = tiny().encode(BATCH)
    found = task.decoder(teacher_inputs(BATCH.tokens, Vocabulary.SOS), memory)
    expected = smoothed_cross_entropy(found.logits, BATCH.tokens, BATCH.token_lengths).item()
    assert loss == expected
    assert logged == {"train/loss": expected}


def test_loss_and_gradient_are_the_weighted_sums_and_each_loss_is_logged() -> None:
    joint, attention, ctc = tiny(ctc_weight=WEIGHT), tiny(), tiny_ctc()
    logged, loss = stepped(joint)
    (_, of_attention), (_, of_ctc) = stepped(attention), stepped(ctc)
    assert logged == pytest.approx(
        {"train/loss": of_attention, "train/ctc": of_ctc, "train/unalignable": 0.0}, rel=1e-6
    )
    assert loss == pytest.approx(WEIGHT * of_ctc + (1 - WEIGHT) * of_attention, rel=1e-6)
    for part, expected in (
        ("encoder", WEIGHT * gradient(ctc, "encoder") + 0.7 * gradient(attention, "encoder")),
        ("decoder", 0.7 * gradient(attention, "decoder")),
        ("ctc", WEIGHT * gradient(ctc, "ctc")),
    ):
        torch.testing.assert_close(gradient(joint, part), expected, rtol=1e-4, atol=1e-7)


def test_the_quantity_loss_comes_on_top() -> None:
    joint = tiny(MECHANISMS["mocha"], ctc_weight=WEIGHT, quantity_weight=0.2).eval()
    logged, loss = stepped(joint)
    expected = WEIGHT * logged["train/ctc"] + 0.7 * logged["train/loss"]
    assert loss == pytest.approx(expected + 0.2 * logged["train/quantity"], rel=1e-6)


def test_scores_and_searches_are_those_of_attention() -> None:
    joint, plain = tiny(ctc_weight=WEIGHT), tiny()
    found = scores(joint, BATCH, split="test")
    assert found == scores(plain, BATCH, split="test")
    assert found.keys() == {f"test/{score}" for score in SCORES}
    assert joint.predictions == plain.predictions
    assert joint.metric_signatures("test") == plain.metric_signatures("test")


def test_both_parts_learn() -> None:
    task = tiny(SoftAttention, ctc_weight=0.5, learning_rate=0.02)
    first, _ = stepped(task)
    del task.log
    train(task, 30, gradient_clip_val=1.0)
    last, _ = stepped(task)
    for loss in ("train/loss", "train/ctc"):
        assert last[loss] < 0.7 * first[loss]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-0.1, "ctc_weight cannot be negative: -0.1"),
        (1.0, "ctc_weight must be below 1, not 1.0: CtcRecognizer is CTC alone"),
    ],
)
def test_a_weight_that_leaves_attention_nothing_is_refused(weight: float, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        tiny(ctc_weight=weight)
