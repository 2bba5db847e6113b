"""Features of a corpus on disk."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mocha_lightning.data import LogMel
from mocha_lightning.data.cache import FeatureCache, Spoken, Utterance, write_cache
from mocha_lightning.errors import UserError

FEATURES = LogMel(8000, 12)


def corpus(count: int = 8) -> Iterator[Spoken]:
    """Noise, a little louder in each utterance; three in four are for training."""
    generator = np.random.default_rng(0)
    for number in range(count):
        split = "test" if number % 4 == 3 else "train"
        noise = generator.normal(0, 300 + 100 * number, 2000 + 300 * number)
        details = {"number": number}
        yield Utterance(f"u{number}", split, "one two", "anna", details), noise.astype(np.int16)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_cache(tmp_path, FEATURES, corpus(), {"settings": 1})
    return tmp_path


def test_utterances_come_back_in_order_with_their_lengths(folder: Path) -> None:
    cache = FeatureCache(folder)
    for index, (utterance, samples) in enumerate(corpus()):
        stored = cache.utterances[index]
        assert (stored.id, stored.text, stored.details) == (
            utterance.id,
            utterance.text,
            utterance.details,
        )
        assert stored.seconds == len(samples) / 8000
        assert cache[index].shape == (stored.frames, 3, 12)
        assert stored.frames == (len(samples) - 200) // 80 + 1


def test_features_are_normalized_by_the_training_split_alone(folder: Path) -> None:
    cache = FeatureCache(folder)
    train, test = (
        np.concatenate([cache[i] for i, u in enumerate(cache.utterances) if u.split == split])
        for split in ("train", "test")
    )
    assert train.astype(float).mean(0) == pytest.approx(0, abs=1e-3)
    assert train.astype(float).std(0) == pytest.approx(1, abs=1e-3)
    assert abs(test.astype(float)[:, 0].mean()) > 0.01


def test_rounding_to_16_bits_changes_a_feature_by_a_thousandth_of_its_spread(folder: Path) -> None:
    cache = FeatureCache(folder)
    mean, deviation = np.load(folder / "statistics.npy")
    for index, (_, samples) in enumerate(corpus()):
        exact = FEATURES.extract(samples.astype(np.float32) / 32768, 8000)
        error = cache[index].numpy() - (exact - mean) / deviation
        assert np.sqrt(np.mean(error**2)) < 5e-4
        assert np.abs(error).max() < 4e-3


def test_a_feature_that_never_changes_is_zero(tmp_path: Path) -> None:
    silence = Utterance("u", "train", "one", "anna"), np.zeros(4000, np.int16)
    write_cache(tmp_path, FEATURES, iter([silence]), {})
    assert not FeatureCache(tmp_path).features.any()


def test_nothing_else_is_left_in_the_folder(folder: Path) -> None:
    names = ["corpus.json", "features.npy", "statistics.npy", "utterances.jsonl"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert json.loads((folder / "corpus.json").read_text())["identity"] == {"settings": 1}


def test_the_same_corpus_has_the_same_hash_and_another_has_another(tmp_path: Path) -> None:
    hashes = []
    for number, count in enumerate((8, 8, 7)):
        place = tmp_path / str(number)
        place.mkdir()
        write_cache(place, FEATURES, corpus(count), {})
        hashes.append(FeatureCache(place).sha256)
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("name", ["features.npy", "statistics.npy", "utterances.jsonl"])
@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
def test_damage_is_found_and_the_folder_named(folder: Path, name: str, damage: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[-2] ^= 1
    if damage == "flipped":
        (folder / name).write_bytes(content)
    elif damage == "cut":
        (folder / name).write_bytes(content[:-1])
    else:
        (folder / name).unlink()
    with pytest.raises(UserError, match=r"damaged .* delete that folder") as error:
        FeatureCache(folder)
    assert str(folder) in str(error.value)


@pytest.mark.parametrize("content", ["", "{}", "[]", "null"])
def test_a_damaged_description_is_found(folder: Path, content: str) -> None:
    (folder / "corpus.json").write_text(content)
    with pytest.raises(UserError, match="delete that folder"):
        FeatureCache(folder)


def test_reading_never_changes_the_file(folder: Path) -> None:
    cache = FeatureCache(folder)
    cache[0].zero_()
    assert FeatureCache(folder).sha256 == cache.sha256


def test_an_utterance_too_short_for_features_is_named(tmp_path: Path) -> None:
    short = Utterance("train-7", "train", "one", "anna"), np.ones(100, np.int16)
    with pytest.raises(UserError, match=r"utterance train-7: .* shorter than one window"):
        write_cache(tmp_path, FEATURES, iter([*corpus(), short]), {})


@pytest.mark.parametrize("utterances", [[], list(corpus(4))[3:]])
def test_a_corpus_without_training_data_is_refused(
    tmp_path: Path, utterances: list[Spoken]
) -> None:
    with pytest.raises(UserError, match="no training utterances"):
        write_cache(tmp_path, FEATURES, iter(utterances), {})
