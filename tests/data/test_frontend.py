"""What a checkpoint keeps of its corpus."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mocha_lightning.data import SpokenNumbers, Vocabulary
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.frontend import Frontend
from mocha_lightning.data.normalization import Normalization
from mocha_lightning.errors import UserError


def drawn(**changes) -> Frontend:
    generator = np.random.default_rng(0)
    shape = (1, 12)
    parts = {
        "features": LogMel(8000, 12, deltas=False),
        "normalization": Normalization(
            generator.normal(size=shape), generator.uniform(0.5, 2, shape)
        ),
        "vocabulary": Vocabulary((" ", "a", "<noise>")),
        "sha256": "1" * 64,
    }
    return Frontend(**{**parts, **changes})


FEATURES = drawn().state_dict()["features"]


def test_it_is_read_back_to_the_last_bit(tmp_path: Path) -> None:
    torch.save(drawn().state_dict(), tmp_path / "x")
    found = Frontend.of_state_dict(torch.load(tmp_path / "x", weights_only=True))
    assert (found.features, found.vocabulary, found.sha256) == (
        LogMel(8000, 12, deltas=False),
        Vocabulary((" ", "a", "<noise>")),
        "1" * 64,
    )
    for part in ("mean", "deviation"):
        one, other = (getattr(each.normalization, part) for each in (found, drawn()))
        assert one.dtype == other.dtype == np.float64
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 2}, "is in format 2, and this version reads format 1"),
        ({"format": None}, "is in format None"),
        ({"features": {"mel_bins": 12}}, r"is damaged \(ValueError: statistics of shape"),
        ({"features": None}, r"is damaged \(TypeError"),
        ({"mean": [1.0]}, r"is damaged \(AttributeError"),
        ({"symbols": None}, r"is damaged \(TypeError"),
        ({"symbols": ["a", 3]}, r"is damaged \(TypeError: a symbol is no text"),
        ({"features": {"mel_bins": 1 << 40}}, r"is damaged \("),
        ({"features": {**FEATURES, "sample_rate": 8000.5}}, "sample_rate is 8000.5 and no whole"),
        ({"mean": torch.full((1, 12), torch.nan)}, "a mean that is no finite number"),
        ({"deviation": torch.full((1, 12), -1.0)}, "a deviation that is no finite number above 0"),
        ({"deviation": torch.zeros(1, 12)}, "a deviation that is no finite number above 0"),
        ({"deviation": torch.full((1, 12), torch.inf)}, "a deviation that is no finite number"),
    ],
)
def test_another_version_or_damage_is_named(changes: dict, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        Frontend.of_state_dict({**drawn().state_dict(), **changes})
    assert "\n" not in str(caught.value)


def test_a_corpus_keeps_what_recognition_needs(numbers: SpokenNumbers) -> None:
    kept = Frontend.of_state_dict(numbers.state_dict())
    assert kept.features == numbers.features
    assert kept.vocabulary == numbers.vocabulary
    assert kept.sha256 == numbers.sha256
    statistics = np.load(numbers.folder / "statistics.npy")
    assert np.array_equal(kept.normalization.mean, statistics[0])
    assert np.array_equal(kept.normalization.deviation, statistics[1])
    numbers.load_state_dict(numbers.state_dict())


def test_a_checkpoint_of_another_corpus_is_not_gone_on_from(numbers: SpokenNumbers) -> None:
    own = numbers.state_dict()
    with pytest.raises(UserError, match=r"its data SHA-256 is 1{64}, and here it is [0-9a-f]{64}:"):
        numbers.load_state_dict({**own, "sha256": "1" * 64})
    with pytest.raises(UserError, match=r"its vocabulary is 'ab', and here it is ' abcdef"):
        numbers.load_state_dict({**own, "symbols": ["a", "b"]})
