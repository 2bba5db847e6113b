"""Features of a corpus on disk."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from mocha_lightning.data import LogMel
from mocha_lightning.data.cache import FeatureCache, Spoken, Utterance
from mocha_lightning.data.extraction import extract
from mocha_lightning.data.streaming_features import FeatureStream
from mocha_lightning.data.writing import CacheWriter, completed
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


def write(folder: Path, spoken: Iterable[Spoken], features: LogMel = FEATURES) -> FeatureCache:
    """A corpus, prepared and opened."""
    with CacheWriter(folder, features) as writer:
        for utterance, samples in spoken:
            writer.use(utterance, extract(features, samples))
        writer.finish({"settings": 1})
    assert completed(folder)
    return FeatureCache(folder, features)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, corpus())
    return tmp_path


def test_utterances_come_back_in_order_with_their_lengths(folder: Path) -> None:
    cache = FeatureCache(folder, FEATURES)
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
    cache = FeatureCache(folder, FEATURES)
    train, test = (
        np.concatenate([cache[i] for i, u in enumerate(cache.utterances) if u.split == split])
        for split in ("train", "test")
    )
    assert train.astype(float).mean(0) == pytest.approx(0, abs=1e-3)
    assert train.astype(float).std(0) == pytest.approx(1, abs=1e-3)
    assert abs(test.astype(float)[:, 0].mean()) > 0.01


def test_rounding_to_16_bits_changes_a_feature_by_a_thousandth_of_its_spread(folder: Path) -> None:
    cache = FeatureCache(folder, FEATURES)
    mean, deviation = np.load(folder / "statistics.npy")
    for index, (_, samples) in enumerate(corpus()):
        exact = FEATURES.extract(samples.astype(np.float32) / 32768, 8000)
        error = cache[index].numpy() - (exact - mean) / deviation
        assert np.sqrt(np.mean(error**2)) < 5e-4
        assert np.abs(error).max() < 4e-3


def test_a_feature_that_never_changes_is_zero(tmp_path: Path) -> None:
    silence = Utterance("u", "train", "one", "anna"), np.zeros(4000, np.int16)
    assert not write(tmp_path, [silence])[0].any()


def test_nothing_else_is_left_in_the_folder(folder: Path) -> None:
    names = ["corpus.json", "energies.f32", "statistics.npy", "utterances.jsonl"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert json.loads((folder / "corpus.json").read_text())["identity"] == {"settings": 1}


def test_the_same_corpus_has_the_same_hash_and_another_has_another(tmp_path: Path) -> None:
    hashes = []
    for number, count in enumerate((8, 8, 7)):
        place = tmp_path / str(number)
        place.mkdir()
        hashes.append(write(place, corpus(count)).sha256)
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("name", ["energies.f32", "statistics.npy", "utterances.jsonl"])
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
        FeatureCache(folder, FEATURES)
    assert str(folder) in str(error.value)


@pytest.mark.parametrize("deltas", [True, False])
def test_what_is_read_is_to_the_last_bit_what_a_stream_gives(tmp_path: Path, deltas: bool) -> None:
    features = LogMel(8000, 12, deltas)
    cache = write(tmp_path, corpus(), features)
    frames = []
    for index, (utterance, samples) in enumerate(corpus()):
        stream = FeatureStream(features, cache.normalization)
        heard = samples.astype(np.float32) / 32768
        expected = np.concatenate([stream.accept(heard), stream.finish()])
        assert cache[index].numpy().tobytes() == expected.tobytes()
        whole = features.add_deltas(features.energies(heard))
        assert cache[index].numpy().tobytes() == cache.normalization.apply(whole).tobytes()
        if utterance.split == "train":
            frames.append(whole.astype(np.float64))
    # Sums of each utterance, added in the corpus's order: another order rounds differently.
    count = sum(len(each) for each in frames)
    mean = sum(each.sum(0) for each in frames) / count
    squares = sum((each * each).sum(0) for each in frames) / count
    assert np.array_equal(cache.normalization.mean, mean)
    assert np.array_equal(cache.normalization.deviation, np.sqrt(squares - mean**2))


def test_only_the_energies_are_stored(folder: Path) -> None:
    cache = FeatureCache(folder, FEATURES)
    frames = sum(item.frames for item in cache.utterances)
    assert (folder / "energies.f32").stat().st_size == frames * 12 * 4


def test_a_file_that_is_cut_short_while_it_is_open_is_an_error_and_no_crash(folder: Path) -> None:
    cache = FeatureCache(folder, FEATURES)
    first = cache[0].clone()
    energies = folder / "energies.f32"
    os.truncate(energies, energies.stat().st_size - 4)
    assert cache[0].equal(first)
    with pytest.raises(UserError, match=rf"{energies}: has been cut short while it was in use: de"):
        cache[7]


@pytest.mark.parametrize("content", ["", "{}", "[]", "null"])
def test_a_damaged_description_is_found(folder: Path, content: str) -> None:
    (folder / "corpus.json").write_text(content)
    with pytest.raises(UserError, match="delete that folder"):
        FeatureCache(folder, FEATURES)


def test_what_is_read_is_the_readers_own(folder: Path) -> None:
    cache = FeatureCache(folder, FEATURES)
    before = cache[0].clone()
    cache[0].zero_()
    assert cache[0].equal(before)
    assert FeatureCache(folder, FEATURES).sha256 == cache.sha256


@pytest.mark.parametrize("utterances", [[], list(corpus(4))[3:]])
def test_a_corpus_without_training_data_is_refused(
    tmp_path: Path, utterances: list[Spoken]
) -> None:
    with pytest.raises(UserError, match="no training utterances"):
        write(tmp_path, utterances)
