"""``benchmarks/training_step.py``."""

import pytest
import torch
import training_step
from training_step import Size

from .tables import number, read_table

SMALL = {
    **{"filters": 2, "hidden_dim": 4, "layers": 1, "convolutional_lstm": False},
    **{"decoder_dim": 4, "embedding_dim": 4, "energy_dim": 4},
}
TINY = Size("tiny", SMALL, batch=2, frames=16, mel_bins=8, outputs=3)


def test_the_sizes_are_those_of_the_demonstration_and_of_the_paper() -> None:
    demo, paper = training_step.sizes().values()
    assert (demo.batch, demo.mel_bins, demo.model["energy_dim"]) == (16, 40, 64)
    assert paper.model == {}
    assert set(demo.model) == set(SMALL)


def test_every_mechanism_is_compared_with_soft_attention(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Processes that load PyTorch take seconds; one of them is tested below.
    monkeypatch.setattr(training_step, "in_a_process_of_its_own", training_step.peak_mib)
    monkeypatch.setattr(training_step, "sizes", lambda: {"demo": TINY})
    training_step.main(["--sizes", "demo", "--repetitions", "1"])
    printed = capsys.readouterr().out
    rows = read_table(printed)
    names = [row["model"] for row in rows]
    assert names[0] == "SoftAttention"
    assert {"MonotonicAttention", "MoChA, w = 2", "MoChA, w = 8"} < set(names)
    assert names[-2:] == ["CtcRecognizer", "SoftAttention, with CTC"]
    assert rows[0]["ratio"] == "1.00"
    assert all(number(row["ratio"]) > 0 and number(row["peak MiB"]) > 0 for row in rows)
    assert "batch 2, 16 frames of 8 mel, 3 outputs" in printed


@pytest.mark.parametrize(
    ("name", "trained"),
    [
        ("MoChA, w = 2", "decoder.attention.head.energy.v"),
        ("CtcRecognizer", "ctc.output.weight"),
        ("SoftAttention, with CTC", "ctc.output.weight"),
    ],
)
def test_a_step_trains(name: str, trained: str) -> None:
    made = []
    original = training_step.Untracked.configure_optimizers

    def noted(model: training_step.Untracked):
        made.append(model)
        return original(model)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_step.Untracked, "configure_optimizers", noted)
        step = training_step.training_step(TINY, name, "cpu")
    (model,) = made
    before = {name: value.clone() for name, value in model.named_parameters()}
    step()
    changed = [
        name for name, value in model.named_parameters() if not torch.equal(value, before[name])
    ]
    assert trained in changed
    assert "encoder.convolutions.0.convolution.weight" in changed


def test_memory_is_that_of_a_process_of_its_own() -> None:
    assert training_step.in_a_process_of_its_own(TINY, "SoftAttention", "cpu") > 50
