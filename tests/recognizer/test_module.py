"""The recogniser as a whole: only the attention differs, and the numbers are the paper's."""

import pytest
import torch
from attention.setting import HEADED
from attention.setting import MECHANISMS as EVERY_MECHANISM

from mocha_lightning.attention import MoChA, MonotonicAttention, SoftAttention
from mocha_lightning.data import SpeechSpec, Vocabulary
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.recognizer.decoder import teacher_inputs

from .setting import MECHANISMS, TINY, tiny


def size(task: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in task.parameters())


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
    """Appendix A.1: 2.28 % more, where the paper says about 1 %."""
    vocabulary = Vocabulary((*Vocabulary().symbols, "'", "."))
    spec = SpeechSpec(vocabulary, channels=3, mel_bins=80)
    assert len(vocabulary) == 32
    soft, monotonic, mocha = (
        size(SpeechRecognizer(spec, attention))
        for attention in (SoftAttention, MonotonicAttention, MoChA)
    )
    one_energy = 128 * (256 + 256) + 128 + 128
    assert monotonic == soft + 2  # g and r
    assert mocha == monotonic + one_energy + 1  # and its own g
    # Biases before a batch normalisation, which cancels them, are left out: with those of the
    # three convolutions and the three dense layers there would be 2,891,552.
    assert soft == 2_891_552 - 3 * 32 - 3 * 256
    assert (mocha - soft) / soft == pytest.approx(0.0228, abs=5e-5)


def test_sizes_are_as_asked() -> None:
    task = tiny()
    assert task.decoder.cell.hidden_size == TINY["decoder_dim"]
    assert task.decoder.embedding.embedding_dim == TINY["embedding_dim"]
    assert len(task.encoder.recurrences) == TINY["layers"]
    assert task.encoder.recurrences[0].lstm.hidden_size == TINY["hidden_dim"]
    assert task.encoder.convolutions[0].convolution.out_channels == TINY["filters"]
    assert task.decoder.attention.energy.v.shape == (TINY["energy_dim"],)


def test_the_optimiser_is_the_paper_s() -> None:
    """Adam, beta 0.9 and 0.999, epsilon 1e-6, rate 0.001, L2 1e-6 (Appendix A.1)."""
    optimizer = tiny().configure_optimizers()["optimizer"]
    assert type(optimizer) is torch.optim.Adam
    assert {
        key: optimizer.defaults[key] for key in ("lr", "betas", "eps", "weight_decay", "amsgrad")
    } == {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-6, "weight_decay": 1e-6, "amsgrad": False}
    assert len(optimizer.param_groups) == 1
    assert len(optimizer.param_groups[0]["params"]) == len(list(tiny().parameters()))


def test_the_weight_noise_is_the_paper_s() -> None:
    """On the LSTM layers, the convolutional one among them, and the embedding (Appendix A.1)."""
    task = tiny()
    (noise,) = task.configure_callbacks()
    assert (noise.std, noise.start) == (0.075, 20_000)
    names = {id(parameter): name for name, parameter in task.named_parameters()}
    noisy = {names[id(parameter)] for parameter in noise.parameters(task)}
    parts = ("lstm.", "convolutional_lstm.", "decoder.cell.", "decoder.embedding.")
    assert noisy == {name for name in names.values() if any(part in name for part in parts)}


def test_inputs_are_the_outputs_one_step_late() -> None:
    inputs = teacher_inputs(torch.tensor([[5, 6, 2], [7, 2, 0]]), Vocabulary.SOS)
    assert inputs.tolist() == [[1, 5, 6], [1, 7, 2]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"outputs_per_entry": 0.0}, "outputs_per_entry must be positive, not 0.0"),
        ({"learning_rate": -1.0}, "learning_rate must be positive, not -1.0"),
        ({"adam_epsilon": 0.0}, "adam_epsilon must be positive"),
        ({"weight_decay": -1e-6}, "weight_decay cannot be negative: -1e-06"),
        ({"beam_threshold": -1.0}, "beam_threshold cannot be negative: -1.0"),
        ({"length_normalization": -0.5}, "length_normalization cannot be negative: -0.5"),
        ({"quantity_weight": -0.1}, "quantity_weight cannot be negative: -0.1"),
        ({"weight_noise_std": -0.1}, "weight_noise_std cannot be negative: -0.1"),
        ({"weight_noise_start": -1}, "weight_noise_start cannot be negative: -1"),
        *(
            ({size: 0}, f"{size} must be at least 1, not 0")
            for size in (
                *("filters", "hidden_dim", "layers"),
                *("decoder_dim", "embedding_dim", "energy_dim", "beam_width"),
            )
        ),
    ],
)
def test_a_number_that_no_model_can_have_is_refused_by_name(
    wrong: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        tiny(**wrong)


@pytest.mark.parametrize("name", [name for name in EVERY_MECHANISM if name not in HEADED])
def test_a_mechanism_without_a_head_has_no_quantity(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"^quantity_weight needs a mechanism with a mono.*Attention "
    ):
        tiny(EVERY_MECHANISM[name], quantity_weight=0.1)
