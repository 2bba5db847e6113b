"""Sound read block by block is the sound read whole."""

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from numpy import ndarray

from mocha_lightning.arriving import Arriving
from mocha_lightning.data.audio import read_audio
from mocha_lightning.data.sound import open_pcm, open_sound
from mocha_lightning.data.sphere import decode
from mocha_lightning.errors import UserError

from .spheres import header, pcm, write_sphere


@pytest.fixture
def samples() -> ndarray:
    return np.random.default_rng(0).integers(-9000, 9000, (20_011, 2)).astype(np.int16)


def whole(path: Path, rate: int) -> ndarray:
    return np.concatenate(list(open_sound(path).mono(rate)))


@pytest.mark.parametrize("name", ["x.wav", "x.flac", "x.ogg"])
def test_a_file_is_read_as_by_others(name: str, samples: ndarray, tmp_path: Path) -> None:
    path = tmp_path / name
    soundfile.write(path, samples, 8000)
    sound = open_sound(path)
    assert (sound.sample_rate, sound.channels) == (8000, 2)
    assert np.array_equal(whole(path, 8000), read_audio(path, 8000))


@pytest.mark.parametrize("order", ["01", "10"])
def test_sphere_is_read_in_blocks(order: str, samples: ndarray, tmp_path: Path) -> None:
    path = tmp_path / "x.wv1"
    write_sphere(path, samples, 8000, order)
    blocks = list(open_sound(path).blocks)
    assert [len(block) for block in blocks] == [8000, 8000, 4011]
    assert (np.concatenate(blocks) * 32768 == samples).all()
    data = bytearray(path.read_bytes())
    data[-7] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"x\.wv1: the checksum of its samples is \d+ and"):
        list(open_sound(path).blocks)


def test_companded_sphere_is_read_in_blocks(samples: ndarray, tmp_path: Path) -> None:
    coded = np.random.default_rng(0).integers(0, 256, 20_011).astype(np.uint8)
    path = tmp_path / "x.wv1"
    for law in ("ulaw", "alaw"):
        fields = {**pcm(samples[:, 0], 8000, "1"), "sample_n_bytes": 1, "sample_coding": law}
        path.write_bytes(header(fields) + coded.tobytes())
        expected, _ = decode(path.read_bytes(), "x")
        assert np.array_equal(np.concatenate(list(open_sound(path).blocks)), expected)


def test_compressed_sphere_is_read(real_file: Callable[[str], Path]) -> None:
    path = real_file("sphere/123_1pcbe_shn.sph")
    assert np.array_equal(whole(path, 20_000), read_audio(path, 20_000))


@pytest.mark.parametrize("rate", [5000, 16_000, 44_100])
def test_another_rate_is_that_of_resampling_all_at_once(
    rate: int, samples: ndarray, tmp_path: Path
) -> None:
    path = tmp_path / "x.wav"
    soundfile.write(path, samples, 8000)
    expected = soxr.resample(read_audio(path, 4000 if rate < 8000 else 8000), 8000, rate)
    if rate > 8000:
        assert np.array_equal(whole(path, rate), expected)
    else:
        assert np.array_equal(whole(path, rate), read_audio(path, rate))


def test_raw_samples_come_as_they_arrive(samples: ndarray) -> None:
    source, sink = os.pipe()
    blocks = open_pcm(Arriving(source).read, "x", 8000).blocks
    data, found = samples[:300, 0].astype("<i2").tobytes(), []
    for begin, end in ((0, 101), (101, 102), (102, 500), (500, 600)):
        os.write(sink, data[begin:end])
        found.append(next(blocks))
    os.close(sink)
    assert list(blocks) == []
    assert [len(block) for block in found] == [50, 1, 199, 50]
    assert (np.concatenate(found)[:, 0] * 32768 == samples[:300, 0]).all()


def test_a_long_file_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    peaks = []
    for seconds in (10, 600):
        path = tmp_path / f"{seconds}.wav"
        soundfile.write(path, np.zeros(seconds * 8000, np.int16), 8000)
        tracemalloc.start()
        for _ in open_sound(path).mono(16_000):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 100_000 < 2_000_000


def test_a_name_that_is_not_utf_8_is_a_name(samples: ndarray, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.wav")
    soundfile.write(os.fsencode(path), samples, 8000, format="WAV")
    blocks = list(open_sound(path).blocks)
    assert sum(map(len, blocks)) == len(read_audio(path, 8000)) == len(samples)


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder: give the sound files in it"):
        open_sound(tmp_path)
    path = tmp_path / "x.wav"
    soundfile.write(path, np.ones(8), 17)
    with pytest.raises(UserError, match=r"x\.wav: has 17 samples a second, where speech has from"):
        open_sound(path)
    loud = np.zeros(20_000)
    loud[-1] = 3
    for value, said in ((3, "samples of up to 3, far beyond"), (np.inf, "not finite")):
        loud[-1] = value
        soundfile.write(path, loud, 8000, subtype="FLOAT")
        sound = open_sound(path).mono(8000)
        next(sound)  # what comes before it is heard
        with pytest.raises(UserError, match=rf"x\.wav: .*{said}"):
            list(sound)
