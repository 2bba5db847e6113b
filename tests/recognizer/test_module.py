"""The recogniser as a whole: it learns, it is scored, and only the attention differs."""

import math
import warnings

import pytest
import pytorch_lightning as pl
import torch
from attention.setting import HEADED
from attention.setting import MECHANISMS as EVERY_MECHANISM
from oracles.quantity_loss import quantity
from torch.utils.data import DataLoader

from mocha_lightning.attention import MoChA, MonotonicAttention, SoftAttention
from mocha_lightning.data import SpeechBatch, SpeechSpec, Vocabulary
from mocha_lightning.metrics import word_error_rate
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.recognizer.module import teacher_inputs

from .setting import MECHANISMS, TINY, UTTERANCES, speech, tiny

ALL = tuple(UTTERANCES)
SCORES = {"loss", "wer", "wer_expected", "length_cap"}
MONOTONIC_SCORES = {"undecided", "off_the_end"}


def loader(*batches: SpeechBatch) -> DataLoader:
    return DataLoader(list(batches), batch_size=None)


def trainer(**arguments) -> pl.Trainer:
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "accelerator": "cpu",
    }
    return pl.Trainer(**{**quiet, **arguments})


def scores(task: SpeechRecognizer, *batches: SpeechBatch, split: str = "val") -> dict[str, float]:
    run = trainer()
    evaluate = run.validate if split == "val" else run.test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a loader of few batches, no workers
        (found,) = evaluate(task, loader(*batches), verbose=False)
    return found


def train(task: SpeechRecognizer, steps: int, **arguments) -> list[float]:
    """The losses of updates on one batch over and over."""
    losses = []

    class Keep(pl.Callback):
        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx) -> None:
            losses.append(outputs["loss"].item())

    run = trainer(max_steps=steps, max_epochs=-1, callbacks=[Keep()], **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run.fit(task, loader(speech(*ALL)))
    return losses


def size(task: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in task.parameters())


# -- Only the attention differs ------------------------------------------------------------------


def test_shared_parts_start_from_the_same_weights() -> None:
    tasks = {name: tiny(attention, seed=5) for name, attention in MECHANISMS.items()}
    shared = {
        name: {key: value for key, value in task.state_dict().items() if ".attention." not in key}
        for name, task in tasks.items()
    }
    for other in ("monotonic", "mocha"):
        assert shared[other].keys() == shared["soft"].keys()
        for key, value in shared["soft"].items():
            assert torch.equal(shared[other][key], value), key
    assert any(key.startswith("decoder.output") for key in shared["soft"])


def test_another_seed_is_another_start() -> None:
    weights = [tiny(seed=seed).decoder.output.weight for seed in (0, 1)]
    assert not torch.equal(*weights)


def test_the_paper_s_sizes_differ_by_one_energy_function() -> None:
    """Appendix A.1, without its convolutional LSTM: the paper says about 1 % more."""
    spec = SpeechSpec(Vocabulary(), channels=3, mel_bins=80)
    soft, monotonic, mocha = (
        size(SpeechRecognizer(spec, attention))
        for attention in (SoftAttention, MonotonicAttention, MoChA)
    )
    one_energy = 128 * (256 + 256) + 128 + 128
    assert monotonic == soft + 2  # g and r
    assert mocha == monotonic + one_energy + 1  # and its own g
    assert 0.01 < (mocha - soft) / soft < 0.03


# -- Learning ------------------------------------------------------------------------------------


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


def test_the_optimiser_is_the_paper_s() -> None:
    """Adam, beta 0.9 and 0.999, epsilon 1e-6, rate 0.001, L2 1e-6 (Appendix A.1)."""
    optimizer = tiny().configure_optimizers()["optimizer"]
    assert type(optimizer) is torch.optim.Adam
    assert {
        key: optimizer.defaults[key] for key in ("lr", "betas", "eps", "weight_decay", "amsgrad")
    } == {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-6, "weight_decay": 1e-6, "amsgrad": False}
    assert len(optimizer.param_groups) == 1
    assert len(optimizer.param_groups[0]["params"]) == len(list(tiny().parameters()))


def test_inputs_are_the_outputs_one_step_late() -> None:
    inputs = teacher_inputs(torch.tensor([[5, 6, 2], [7, 2, 0]]))
    assert inputs.tolist() == [[1, 5, 6], [1, 7, 2]]


@pytest.mark.parametrize("name", EVERY_MECHANISM)
def test_every_mechanism_trains_and_is_scored_deterministically(name: str) -> None:
    """Under the flag by which PyTorch refuses what could differ from run to run."""
    torch.use_deterministic_algorithms(True)
    try:
        tasks = [tiny(EVERY_MECHANISM[name], learning_rate=0.01) for _ in range(2)]
        runs = [train(task, 3, gradient_clip_val=1.0) for task in tasks]
        found = [scores(task, speech(*ALL)) for task in tasks]
    finally:
        torch.use_deterministic_algorithms(False)
    assert runs[0] == runs[1]
    assert found[0] == found[1]
    assert runs[0][2] < runs[0][0]
    expected = SCORES | MONOTONIC_SCORES if name in HEADED else SCORES
    assert set(found[0]) == {f"val/{score}" for score in expected}


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
    steps = plain.decoder(teacher_inputs(batch.tokens), plain.encode(batch)).steps
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


@pytest.mark.parametrize("name", [name for name in EVERY_MECHANISM if name not in HEADED])
def test_a_mechanism_without_a_head_has_no_quantity(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"^quantity_weight needs a mechanism with a mono.*Attention "
    ):
        tiny(EVERY_MECHANISM[name], quantity_weight=0.1)


# -- Scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("split", ["val", "test"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_scores_of_a_split(name: str, split: str) -> None:
    expected = SCORES if name == "soft" else SCORES | MONOTONIC_SCORES
    found = scores(tiny(MECHANISMS[name]), speech(*ALL), split=split)
    assert set(found) == {f"{split}/{score}" for score in expected}
    assert all(math.isfinite(value) for value in found.values())
    assert expected <= set(SpeechRecognizer.metric_signatures)


@pytest.mark.parametrize("name", MECHANISMS)
def test_scores_do_not_depend_on_how_a_split_is_cut(name: str) -> None:
    task = tiny(MECHANISMS[name], learning_rate=0.01)
    train(task, 20)
    whole = scores(task, speech(*ALL))
    cut = scores(task, speech("three"), speech("one", "two"), speech("four"))
    assert cut == pytest.approx(whole, rel=1e-5)
    assert scores(task, speech(*ALL)) == whole  # and counting begins anew


def test_scores_are_those_of_what_was_recognised() -> None:
    task = tiny(MECHANISMS["mocha"], learning_rate=0.01)
    train(task, 20)
    found = scores(task, speech("one", "two"), speech("three", "four"), split="test")
    assert [p["utterance"] for p in task.predictions] == list(ALL)
    assert [p["reference"] for p in task.predictions] == [text for _, text in UTTERANCES.values()]
    for metric, key in (("wer", "hypothesis"), ("wer_expected", "hypothesis_expected")):
        rate = word_error_rate(
            [p["reference"] for p in task.predictions], [p[key] for p in task.predictions]
        )
        assert found[f"test/{metric}"] == pytest.approx(rate, rel=1e-6)


def test_hypotheses_are_decoded_hard_and_in_expectation() -> None:
    task = tiny(MECHANISMS["mocha"])
    modes = []
    decode = task.decode
    task.decode = lambda memory, mode: modes.append(mode) or decode(memory, mode)
    scores(task, speech("one"))
    assert modes == ["hard", "expected"]


def test_an_empty_memory_of_attention_is_counted_as_off_the_end() -> None:
    """A head that never stops: every step has a context of zero, and none is undecided."""
    never, always = (
        scores(tiny(lambda *sizes, r=r: MonotonicAttention(*sizes, offset=r)), speech(*ALL))
        for r in (-100, 100)
    )
    assert never["val/off_the_end"] == 1
    assert always["val/off_the_end"] == 0
    assert never["val/undecided"] == always["val/undecided"] == 0
    between = tiny(lambda *sizes: MonotonicAttention(*sizes, offset=0, gain=0.1))
    assert scores(between, speech(*ALL))["val/undecided"] == pytest.approx(1)


def test_decoding_is_capped_by_the_length_of_the_memory() -> None:
    task = tiny(outputs_per_entry=0.5).eval()
    with torch.no_grad():
        task.decoder.output.bias[Vocabulary.EOS] = -100
    decoded = task.decode(task.encode(speech(*ALL)), "hard")
    entries = [math.ceil(frames / 4) for frames, _ in UTTERANCES.values()]
    assert decoded.lengths.tolist() == [math.ceil(0.5 * count) for count in entries]
    assert scores(task, speech(*ALL))["val/length_cap"] == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"outputs_per_entry": 0.0}, "outputs_per_entry must be positive, not 0.0"),
        ({"learning_rate": -1.0}, "learning_rate must be positive, not -1.0"),
        ({"adam_epsilon": 0.0}, "adam_epsilon must be positive"),
        ({"weight_decay": -1e-6}, "weight_decay cannot be negative: -1e-06"),
        ({"quantity_weight": -0.1}, "quantity_weight cannot be negative: -0.1"),
        *(
            ({size: 0}, f"{size} must be at least 1, not 0")
            for size in (
                *("filters", "hidden_dim", "layers"),
                *("decoder_dim", "embedding_dim", "energy_dim"),
            )
        ),
    ],
)
def test_a_number_that_no_model_can_have_is_refused_by_name(
    wrong: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        tiny(**wrong)


def test_an_utterance_is_recognised_alone_as_in_a_batch() -> None:
    task = tiny(MECHANISMS["mocha"], learning_rate=0.01)
    train(task, 20)
    task.eval()
    together = task.decode(task.encode(speech(*ALL)), "hard")
    for row, name in enumerate(ALL):
        alone = task.decode(task.encode(speech(name)), "hard")
        length = alone.lengths.item()
        assert together.lengths[row] == length
        assert torch.equal(alone.tokens[0, :length], together.tokens[row, :length])


def test_validation_draws_no_random_numbers_and_leaves_no_trace() -> None:
    task = tiny(MECHANISMS["mocha"])
    before = {key: value.clone() for key, value in task.state_dict().items()}
    torch.manual_seed(7)
    state = torch.get_rng_state()
    with torch.no_grad():
        task.eval()
        task.validation_step(speech(*ALL), 0)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, before[key]) for key, value in task.state_dict().items())


def test_sizes_are_as_asked() -> None:
    task = tiny()
    assert task.decoder.cell.hidden_size == TINY["decoder_dim"]
    assert task.decoder.embedding.embedding_dim == TINY["embedding_dim"]
    assert len(task.encoder.recurrences) == TINY["layers"]
    assert task.encoder.recurrences[0].lstm.hidden_size == TINY["hidden_dim"]
    assert task.encoder.convolutions[0].convolution.out_channels == TINY["filters"]
    assert task.decoder.attention.energy.v.shape == (TINY["energy_dim"],)
