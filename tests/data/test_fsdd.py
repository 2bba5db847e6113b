"""Strings of recorded digits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from mocha_lightning.data import SpokenDigits
from mocha_lightning.data.fsdd import HISS
from mocha_lightning.errors import UserError

from .conftest import TINY, write_tone


def small(folder: Path, **changes: Any) -> SpokenDigits:
    cache_dir = str(folder.parent / "cache")
    return SpokenDigits(str(folder), **{**TINY, "cache_dir": cache_dir, **changes})


def recordings(data: SpokenDigits, split: str) -> set[str]:
    return {name for item in data.splits[split].utterances for name in item.details["recordings"]}


def opened(data: SpokenDigits) -> SpokenDigits:
    data.prepare_data()
    data.setup()
    return data


def takes(names: set[str]) -> set[int]:
    return {int(name.removesuffix(".wav").split("_")[2]) for name in names}


def test_the_data_sets_own_split_goes_by_takes(digits_folder: Path) -> None:
    data = opened(small(digits_folder, train_utterances=100, test_utterances=50))
    assert takes(recordings(data, "test")) <= {0, 1, 2, 3, 4}
    assert takes(recordings(data, "validation")) <= {5, 6, 7, 8, 9}
    assert takes(recordings(data, "train")) == {10, 11}
    for split in data.splits.values():
        assert {item.speaker for item in split.utterances} == {"anna", "bert"}


def test_a_speaker_held_out_is_heard_in_testing_alone(digits_folder: Path) -> None:
    data = opened(small(digits_folder, held_out_speaker="bert", train_utterances=100))
    speakers = {
        name: {item.speaker for item in split.utterances} for name, split in data.splits.items()
    }
    assert speakers == {"train": {"anna"}, "validation": {"anna"}, "test": {"bert"}}
    assert not takes(recordings(data, "train")) & {5, 6, 7, 8, 9}
    assert takes(recordings(data, "validation")) <= {5, 6, 7, 8, 9}


def test_a_string_is_one_speakers_recordings_of_its_digits(digits_folder: Path) -> None:
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    data = small(digits_folder)
    for utterance, samples in data.corpus():
        parts = [name.split("_") for name in utterance.details["recordings"]]
        assert [words[int(digit)] for digit, _, _ in parts] == utterance.text.split()
        assert {speaker for _, speaker, _ in parts} == {utterance.speaker}
        silence = len(samples) / 8000 - 0.2 * len(parts)
        assert 0 <= silence <= 0.25 * (len(parts) + 1)
        originals = [
            soundfile.read(digits_folder / name, dtype="int16")[0]
            for name in utterance.details["recordings"]
        ]
        energy = np.square(samples.astype(float)).sum()
        faint = len(samples) * (HISS * 32768) ** 2
        spoken = sum(np.square(original.astype(float)).sum() for original in originals)
        assert energy == pytest.approx(spoken + faint, rel=0.01)
        assert (samples == 0).mean() < 0.1


def test_strings_of_splits_are_disjoint(digits_folder: Path) -> None:
    data = opened(small(digits_folder))
    texts = [{item.text for item in split.utterances} for split in data.splits.values()]
    assert len(set.union(*texts)) == sum(map(len, texts))


def test_two_builds_are_the_same_to_the_last_bit(digits_folder: Path, tmp_path: Path) -> None:
    one = opened(small(digits_folder))
    two = opened(small(digits_folder, cache_dir=str(tmp_path / "other")))
    assert one.sha256 == two.sha256
    assert one.folder.name == two.folder.name


def test_changed_recordings_make_another_corpus(digits_folder: Path) -> None:
    before = small(digits_folder).folder
    write_tone(digits_folder / "3_anna_4.wav", pitch=1234)
    changed = small(digits_folder).folder
    (digits_folder / "3_anna_3.wav").rename(digits_folder / "3_anna_30.wav")
    assert len({before, changed, small(digits_folder).folder}) == 3


def test_recordings_of_a_higher_rate_are_brought_down(digits_folder: Path) -> None:
    for path in digits_folder.glob("*_11.wav"):
        write_tone(path, rate=16000)
    data = opened(small(digits_folder))
    assert data.describe()["features"]["sample_rate"] == 8000


def damage(folder: Path, name: str, content: bytes | None) -> None:
    if content is None:
        whole = (folder / name).read_bytes()
        content = whole[: len(whole) // 2]
    (folder / name).write_bytes(content)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("4_anna_7.wav", None, "truncated"),
        ("4_anna_7.wav", b"", r"empty \(0 bytes\)"),
        ("4_anna_7.wav", b"<html>not found</html>", "cannot be read as sound"),
        ("noise.wav", b"?", "the name is not digit_speaker_take"),
        ("12_anna_7.wav", b"?", "the name is not digit_speaker_take"),
        ("1_anna_07.wav", b"?", "the name is not digit_speaker_take"),
        ("\N{ARABIC-INDIC DIGIT SEVEN}_anna_7.wav", b"?", "the name is not digit_speaker_take"),
        ("X.WAV", b"?", "the name is not digit_speaker_take"),
        ("x_anna_7.wav", b"?", "the name is not digit_speaker_take"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_before_anything_is_made(
    digits_folder: Path, name: str, content: bytes | None, message: str
) -> None:
    damage(digits_folder, name, content)
    data = small(digits_folder)
    with pytest.raises(UserError, match=message) as error:
        data.prepare_data()
    assert str(digits_folder / name) in str(error.value)
    assert not Path(data.cache_dir).exists()


@pytest.mark.parametrize(
    ("samples", "message"), [(np.zeros(800), "silent"), (np.full(800, np.nan), "not finite")]
)
def test_a_recording_of_nothing_is_named(
    digits_folder: Path, samples: np.ndarray, message: str
) -> None:
    soundfile.write(digits_folder / "4_anna_7.wav", samples, 8000, subtype="FLOAT")
    with pytest.raises(UserError, match=rf"4_anna_7\.wav: .*{message}"):
        small(digits_folder).prepare_data()


def test_more_than_the_recordings_hold_is_refused(digits_folder: Path) -> None:
    with pytest.raises(UserError, match=r"0_anna_0\.wav: 8000 Hz .* set data\.sample_rate to 8000"):
        small(digits_folder, sample_rate=16000).prepare_data()


def test_folders_without_recordings_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere: no such folder: correct data\.folder"):
        small(tmp_path / "nowhere").prepare_data()
    with pytest.raises(UserError, match=r"holds no \.wav files: correct data\.folder"):
        small(tmp_path).prepare_data()


def test_an_unknown_speaker_is_answered_with_the_known(digits_folder: Path) -> None:
    with pytest.raises(UserError, match=r"data\.held_out_speaker is 'carl': .* are anna, bert"):
        small(digits_folder, held_out_speaker="carl").prepare_data()


def test_missing_digits_are_named(digits_folder: Path) -> None:
    for take in range(5):
        (digits_folder / f"7_bert_{take}.wav").unlink()
    with pytest.raises(UserError, match="bert has no recording of 7 for test"):
        small(digits_folder).prepare_data()


def test_a_split_without_recordings_is_named(digits_folder: Path) -> None:
    for take in range(5, 10):
        for path in digits_folder.glob(f"*_{take}.wav"):
            path.unlink()
    with pytest.raises(UserError, match="no recording falls to validation"):
        small(digits_folder).prepare_data()


@pytest.mark.parametrize("held_out_speaker", [None, "theo"])
def test_the_real_recordings(real_data: Path, tmp_path: Path, held_out_speaker: str | None) -> None:
    folder = real_data / "fsdd" / "recordings"
    data = opened(small(folder, held_out_speaker=held_out_speaker, cache_dir=str(tmp_path)))
    facts = data.describe()
    assert facts["speech"].startswith("human")
    speakers = set().union(*(split["speakers"] for split in facts["splits"].values()))
    assert speakers <= {"george", "jackson", "nicolas", "theo"}
    (batch,) = list(data.val_dataloader())
    assert batch.features.isfinite().all()
    assert 0.5 < batch.features.std() < 2


def test_a_recording_too_short_for_a_digit_is_refused(digits_folder: Path) -> None:
    write_tone(digits_folder / "4_anna_7.wav", seconds=0.01)
    with pytest.raises(UserError, match=r"4_anna_7\.wav: is 0\.01 s long, less than the 0\.03 s"):
        small(digits_folder).prepare_data()
