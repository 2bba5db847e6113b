"""Parameters of the paper's models against counts by hand, from the sizes of its Appendix A."""

from pathlib import Path

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.sizes import sizes_of

FOLDER = Path(__file__).parents[2] / "experiments"


def linear(inputs: int, outputs: int, bias: bool = True) -> int:
    return outputs * (inputs + bias)


def lstm(inputs: int, hidden: int, biases: int = 2) -> int:
    """Four gates; PyTorch has two biases where one would do."""
    return 4 * hidden * (inputs + hidden + biases)


def energy(memory: int, query: int, d: int) -> int:
    """W_h, b, W_s and v."""
    return linear(memory, d) + linear(query, d, bias=False) + d


def test_the_recogniser_has_the_parameters_of_appendix_a_1() -> None:
    sizes = sizes_of(FOLDER / "wsj.yaml")
    # 80 filters with their differences are three channels; two strides of 2 leave 20 of 80.
    convolutions = 9 * (3 * 32 + 32 * 32 + 32 * 32) + 3 * 2 * 32
    recurrences = lstm(32 * 20, 256) + 2 * lstm(256, 256) + 3 * (256 * 256 + 2 * 256)
    symbols = sizes.parts["soft"]["decoder.embedding"] // 64
    soft = energy(256, 256, 128)
    attention = {"soft": soft, "monotonic": soft + 2, "mocha_w2": 2 * (soft + 1) + 1}
    for variant, count in attention.items():
        parts = sizes.parts[variant]
        assert parts["encoder.convolutions"] == convolutions
        assert parts["encoder.recurrences"] == recurrences
        assert parts["decoder.cell"] == lstm(64 + 256, 256)
        assert parts["decoder.output"] == linear(512, symbols)
        assert parts["decoder.attention"] == count
        assert sizes.totals[variant] == sum(parts.values())
    assert "decoder.attention" not in sizes.parts["ctc"]


def test_the_summariser_has_the_parameters_of_appendix_a_2_with_a_full_vocabulary() -> None:
    sizes = sizes_of(FOLDER / "cnn_dailymail.yaml")
    words = 50_000 + 4
    soft = energy(1024, 1024, 1024)
    attention = {"soft": soft, "monotonic": soft + 2, "mocha_w8": 2 * (soft + 1) + 1}
    shared = (
        words * 512
        + 2 * lstm(512, 512)
        + words * 1024
        + lstm(1024 + 1024, 1024)
        + linear(2048, words)
        + linear(1024 + 1024 + 1024, 1)
    )
    assert sizes.totals == {name: shared + count for name, count in attention.items()}


def test_variants_are_set_beside_soft_and_monotonic_attention() -> None:
    sizes = sizes_of(FOLDER / "wsj.yaml")
    assert sizes.baselines == {"soft": "soft", "monotonic": "monotonic"}
    assert sizes.beside("soft", "soft") == 0
    more = energy(256, 256, 128) + 1
    for baseline in ("soft", "monotonic"):
        # MoChA's second energy, and what monotonic attention has beyond soft attention.
        extra = more + 2 if baseline == "soft" else more
        assert sizes.beside(baseline, "mocha_w2") == pytest.approx(extra / sizes.totals[baseline])


def test_of_several_the_first_is_the_baseline_and_there_may_be_none() -> None:
    assert sizes_of(FOLDER / "ablation-energy-dim.yaml").baselines == {"monotonic": "monotonic"}
    assert sizes_of(FOLDER / "ablation-offset.yaml").baselines == {}


@pytest.mark.parametrize("name", ["digits", "librispeech", "reordering", "documentation"])
def test_an_experiment_on_any_corpus_is_counted_without_its_data(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert all(total > 0 for total in sizes_of(FOLDER / f"{name}.yaml").totals.values())
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(UserError, match=r"nowhere\.yaml"):
        sizes_of(Path("nowhere.yaml"))
