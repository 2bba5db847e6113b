"""NIST SPHERE audio."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy import ndarray

from mocha_lightning.data.audio import audio_info, check_header, decode_audio, read_audio
from mocha_lightning.data.sphere import decode
from mocha_lightning.errors import UserError

from .spheres import header, pcm, write_sphere


@pytest.fixture
def samples() -> ndarray:
    return np.random.default_rng(0).integers(-9000, 9000, 1600).astype(np.int16)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "011c0201.wv1"


@pytest.mark.parametrize("order", ["01", "10"])
def test_samples_come_as_they_are_in_either_byte_order(
    path: Path, samples: ndarray, order: str
) -> None:
    write_sphere(path, samples, order=order)
    assert (read_audio(path, 16000) * 32768 == samples).all()
    assert audio_info(path) == (1600, 16000)


def test_channels_are_averaged_unless_one_is_named(path: Path, samples: ndarray) -> None:
    both = np.stack([samples, samples[::-1]], 1)
    write_sphere(path, both)
    assert read_audio(path, 16000) * 32768 == pytest.approx(both.mean(1))
    assert (read_audio(path, 16000, channel=1) * 32768 == samples[::-1]).all()
    with pytest.raises(UserError, match=r"wv1: has 2 channels and not one with the number 2"):
        read_audio(path, 16000, channel=2)


def test_a_part_is_read(path: Path, samples: ndarray) -> None:
    write_sphere(path, samples)
    part = read_audio(path, 16000, start=0.01, seconds=0.02)
    assert (part * 32768 == samples[160:480]).all()


def test_u_law_is_read(path: Path, samples: ndarray) -> None:
    raw, kind = io.BytesIO(), {"format": "RAW", "subtype": "ULAW"}
    soundfile.write(raw, samples, 8000, **kind)
    expected, _ = soundfile.read(
        io.BytesIO(raw.getvalue()), samplerate=8000, channels=1, dtype="float32", **kind
    )
    # What the checksum of companded samples is taken over is not known: this one is of none.
    fields = {**pcm(samples, 8000, "1"), "sample_n_bytes": 1, "sample_coding": "ulaw"}
    path.write_bytes(header(fields) + raw.getvalue())
    assert (read_audio(path, 8000) == expected).all()


def test_the_name_tells_nothing(path: Path, samples: ndarray, tmp_path: Path) -> None:
    """Users convert a corpus in place."""
    soundfile.write(path, samples, 16000, format="WAV")
    write_sphere(tmp_path / "sphere.wav", samples)
    assert (read_audio(path, 16000) == read_audio(tmp_path / "sphere.wav", 16000)).all()


def test_a_longer_header_is_read(path: Path, samples: ndarray) -> None:
    path.write_bytes(header(pcm(samples), 4096) + samples.astype("<i2").tobytes())
    assert (read_audio(path, 16000) * 32768 == samples).all()


def test_a_files_content_is_read_as_the_file_is(path: Path, samples: ndarray) -> None:
    write_sphere(path, samples)
    assert (decode_audio(path.read_bytes(), "x", 16000) == read_audio(path, 16000)).all()


def test_a_wrong_checksum_is_refused(path: Path, samples: ndarray) -> None:
    write_sphere(path, samples)
    data = bytearray(path.read_bytes())
    data[-7] ^= 1
    path.write_bytes(data)
    check_header(path, 16000)  # takes decoding to see
    with pytest.raises(UserError, match=r"wv1: the checksum of its samples is \d+ and .* says"):
        read_audio(path, 16000)


def test_a_header_without_checksum_is_trusted(path: Path, samples: ndarray) -> None:
    fields = pcm(samples)
    del fields["sample_checksum"]
    path.write_bytes(header(fields) + samples.astype("<i2").tobytes())
    assert (read_audio(path, 16000) * 32768 == samples).all()


def test_fewer_samples_than_the_header_says_are_refused(path: Path, samples: ndarray) -> None:
    write_sphere(path, samples, sample_count=1700)
    with pytest.raises(UserError, match=r"wv1: the file is truncated"):
        check_header(path, 16000)
    with pytest.raises(UserError, match=r"x: cannot be read as SPHERE \(.*truncated"):
        decode(path.read_bytes(), "x")


@pytest.mark.parametrize(
    "start",
    [
        b"NIST_1A",
        b"NIST_1A\n",
        b"NIST_1A\n   1024\n",
        b"NIST_1A\n   many\nend_head\n",
        b"NIST_1A\n99999999999999\nend_head\n",
        b"NIST_1A\n     99\nend_head\n".ljust(99),
        header({"sample_count": 3}),
        header({**pcm(np.zeros(3)), "sample_rate": "fast"}),
        header({**pcm(np.zeros(3)), "channel_count": 0}),
        header(pcm(np.zeros(3))).replace(b"end_head", b"        "),
        header(pcm(np.zeros(3))).replace(b"channel", b"\xff\xff\xff\xff\xff\xff\xff"),
    ],
)
def test_a_damaged_header_is_named(path: Path, start: bytes) -> None:
    path.write_bytes(start)
    with pytest.raises(UserError, match=r"0201\.wv1: cannot be read as SPHERE \(.*\): fetch it"):
        check_header(path, 16000)


@pytest.mark.parametrize(
    "changes",
    [
        {"sample_coding": "pcm,embedded-shorten-v2.00"},  # there is none
        {"sample_coding": "pcm,embedded-wavpack"},
        {"sample_coding": "adpcm"},
        {"sample_byte_format": "99"},
    ],
)
def test_a_coding_that_cannot_be_read_is_named(
    path: Path, samples: ndarray, changes: dict[str, str]
) -> None:
    write_sphere(path, samples, **changes)
    with pytest.raises(UserError, match=r"0201\.wv1: cannot be read as SPHERE \("):
        read_audio(path, 16000)


def test_no_samples_are_refused(path: Path, samples: ndarray) -> None:
    write_sphere(path, samples[:0])
    with pytest.raises(UserError, match="holds no audio"):
        check_header(path, 16000)


@pytest.fixture(params=["123_1pcbe_shn.sph", "123_1pcle_shn.sph"])
def shortened(real_file: Callable[[str], Path], request: pytest.FixtureRequest) -> Path:
    """A real file, compressed by shorten as WSJ is, in either byte order."""
    return real_file(f"sphere/{request.param}")


def test_real_shortened_files_decode_to_what_their_headers_say(shortened: Path) -> None:
    samples, rate = decode(shortened.read_bytes(), shortened.name)
    values = (samples[:, 0] * 32768).astype(int)
    assert (values.shape, rate) == ((37120,), 20000)
    assert (values.min(), values.max(), values.sum() % 65536) == (-2677, 2234, 55857)


def test_a_real_file_is_brought_down_to_the_rate_that_is_needed(shortened: Path) -> None:
    assert len(read_audio(shortened, 16000)) == 37120 * 16000 // 20000
    assert audio_info(shortened).seconds == 1.856


def test_a_real_file_cut_short_anywhere_is_refused(shortened: Path, path: Path) -> None:
    whole = shortened.read_bytes()
    for size in (500, 1023, 1024, 1100, 20000, len(whole) - 200):
        path.write_bytes(whole[:size])
        with pytest.raises(UserError, match=r"0201\.wv1"):
            read_audio(path, 16000)


def test_a_real_file_with_a_changed_bit_is_never_read_as_other_speech(
    shortened: Path, path: Path
) -> None:
    whole, generator = shortened.read_bytes(), np.random.default_rng(0)
    true, changed = read_audio(shortened, 20000), 0
    for _ in range(50):
        data = bytearray(whole)
        data[generator.integers(1024, len(data))] ^= 1 << generator.integers(8)
        path.write_bytes(data)
        try:
            samples = read_audio(path, 20000)
        except UserError as error:
            assert "0201.wv1" in str(error)  # noqa: PT017
            changed += 1
        else:
            assert (samples == true).all()
    assert changed > 45
