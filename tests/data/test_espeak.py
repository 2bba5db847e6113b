"""The synthetic corpus of spoken numbers."""

import json
import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mocha_lightning.data import SpokenNumbers
from mocha_lightning.data.espeak import LEVEL, VOICES
from mocha_lightning.errors import UserError

from .conftest import TINY

pytest.importorskip("espeakng_loader", reason="eSpeak NG is not installed (extra: espeak)")


def small(cache_dir: Path, **changes: Any) -> SpokenNumbers:
    return SpokenNumbers(**{**TINY, "cache_dir": str(cache_dir), **changes})


def audio(data: SpokenNumbers) -> dict[str, np.ndarray]:
    return {utterance.id: samples for utterance, samples in data.corpus()}


def test_it_is_labelled_as_synthetic_with_its_settings(numbers: SpokenNumbers) -> None:
    facts = json.loads(json.dumps(numbers.describe()))
    assert facts["speech"] == "synthetic (eSpeak NG)"
    assert facts["snr_db"] == [10, 20]
    assert [split["utterances"] for split in facts["splits"].values()] == [20, 4, 6]


def test_splits_differ_in_voice() -> None:
    train, validation, test = (set(voices) for voices in VOICES.values())
    assert not train & validation
    assert not train & test
    assert not validation & test

    def parts(voices: set[str], part: int) -> set[str]:
        return {voice.partition("+")[::2][part] for voice in voices}

    for evaluation in (validation, test):
        assert parts(evaluation, 0) - parts(train, 0)  # an accent never heard in training
        assert not parts(evaluation, 1) & parts(train, 1)  # variants never heard in training


def test_utterances_keep_to_their_splits_voices_and_strings(numbers: SpokenNumbers) -> None:
    texts: set[str] = set()
    for name, split in numbers.splits.items():
        assert {item.speaker for item in split.utterances} <= set(VOICES[name])
        own = {item.text for item in split.utterances}
        assert not own & texts
        texts |= own


def test_details_lie_in_their_ranges(tmp_path: Path) -> None:
    for item in small(tmp_path, rate=(150, 170), pitch=(40, 41), snr_db=(3, 4)).plan():
        assert 150 <= item.details["rate"] <= 170
        assert item.details["pitch"] in (40, 41)
        assert 3 <= item.details["snr_db"] <= 4
        assert 2 <= len(item.text.split()) <= 6


def test_the_noise_is_at_the_stated_level(tmp_path: Path) -> None:
    quiet = audio(small(tmp_path, snr_db=None))
    for snr in (0.0, 20.0):
        for name, noisy in audio(small(tmp_path, snr_db=(snr, snr))).items():
            clean = quiet[name]
            assert len(noisy) == len(clean)
            difference = (noisy.astype(float) - clean) / 32768
            noise_level = np.sqrt(np.mean(difference**2))
            assert 20 * np.log10(LEVEL / noise_level) == pytest.approx(snr, abs=2)


def test_the_last_word_ends_where_the_speech_ends(tmp_path: Path) -> None:
    """An echo, which some voices have, is heard some tens of milliseconds longer."""
    quiet = small(tmp_path, snr_db=None, sample_rate=8000)
    late = []
    for utterance, samples in quiet.corpus():
        ends = utterance.details["word_ends"]
        assert len(ends) == len(utterance.text.split())
        assert all(np.diff([np.flatnonzero(samples)[0] / 8000, *ends]) > 0.1)
        late.append((np.flatnonzero(samples)[-1] + 1) / 8000 - ends[-1])
    assert min(late) > -0.001
    assert max(late) < 0.08
    assert np.median(late) < 0.001


def test_where_words_end_comes_with_a_batch(numbers: SpokenNumbers) -> None:
    batch = next(iter(numbers.val_dataloader()))
    assert [len(ends) for ends in batch.word_ends] == [len(text.split()) for text in batch.texts]
    for ends, seconds in zip(batch.word_ends, batch.seconds, strict=True):
        assert seconds - 0.35 < ends[-1] < seconds


def test_two_builds_in_two_processes_are_the_same_to_the_last_bit(
    numbers: SpokenNumbers, tmp_path: Path
) -> None:
    again = small(tmp_path)
    process = multiprocessing.get_context("fork").Process(target=again.prepare_data)
    process.start()
    process.join()
    assert process.exitcode == 0
    again.setup()
    assert again.folder.name == numbers.folder.name
    assert again.sha256 == numbers.sha256


@pytest.mark.parametrize(
    "changes",
    [
        {"corpus_seed": 1},
        {"words": "digits"},
        {"rate": (100, 120)},
        {"snr_db": None},
        {"mel_bins": 12},
        {"sample_rate": 8000},
        {"deltas": False},
        {"train_utterances": 21},
    ],
    ids=str,
)
def test_every_setting_that_matters_makes_another_corpus(
    numbers: SpokenNumbers, tmp_path: Path, changes: dict[str, Any]
) -> None:
    assert small(tmp_path, **changes).folder.name != numbers.folder.name


def test_other_settings_make_other_data(numbers: SpokenNumbers, tmp_path: Path) -> None:
    other = small(tmp_path, corpus_seed=1, sample_rate=8000, deltas=False, words="hundreds")
    other.prepare_data()
    other.setup()
    assert other.sha256 != numbers.sha256
    assert other.spec.channels == 1
    texts = [item.text for split in other.splits.values() for item in split.utterances]
    assert any("hundred" in text for text in texts)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"rate": (200, 100)}, "rate"),
        ({"rate": (10, 100)}, "rate"),
        ({"pitch": (0, 101)}, "pitch"),
        ({"snr_db": (float("nan"), 10)}, "snr_db"),
        ({"min_words": 3, "max_words": 2}, "max_words"),
        ({"train_utterances": 0}, "train_utterances"),
        ({"mel_bins": 1000}, "mel_bins"),
        ({"sample_rate": 1}, "sample_rate"),
        ({"batch_size": 0}, "batch_size"),
    ],
    ids=str,
)
def test_settings_out_of_range_are_named(tmp_path: Path, changes: dict[str, Any], key: str) -> None:
    with pytest.raises(UserError, match=rf"data\.{key}"):
        small(tmp_path, **changes)


def test_too_few_strings_are_told_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"raise data\.max_words"):
        small(tmp_path, words="digits", min_words=1, max_words=1).prepare_data()
    assert [path.name for path in tmp_path.iterdir()] == []
