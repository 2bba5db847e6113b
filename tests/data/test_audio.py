"""Reading recordings."""

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy import ndarray

from mocha_lightning.data.audio import check_header, decode_audio, read_audio, to_int16
from mocha_lightning.data.sound import open_sound
from mocha_lightning.errors import UserError


def tone(rate: int, hertz: float = 440) -> ndarray:
    return 0.5 * np.sin(2 * np.pi * hertz * np.arange(rate) / rate)


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    path = tmp_path / "recording.wav"
    soundfile.write(path, tone(8000), 8000)
    return path


def test_samples_come_as_they_are_in_the_file(wav: Path) -> None:
    samples = read_audio(wav, 8000)
    assert samples.dtype == np.float32
    assert samples == pytest.approx(tone(8000), abs=4e-5)  # 16 bits


@pytest.mark.parametrize("rate", [16000, 22050, 44100])
def test_a_higher_rate_is_brought_down(wav: Path, rate: int) -> None:
    soundfile.write(wav, tone(rate), rate)
    samples = read_audio(wav, 8000)
    assert len(samples) == 8000
    assert samples[500:-500] == pytest.approx(tone(8000)[500:-500], abs=1e-3)


def test_what_the_lower_rate_cannot_hold_is_filtered_out(wav: Path) -> None:
    soundfile.write(wav, tone(16000, 6000), 16000)  # would fold to 2000 Hz
    assert np.abs(read_audio(wav, 8000)[500:-500]).max() < 1e-3


def test_channels_are_averaged(wav: Path) -> None:
    left, right = tone(8000), tone(8000, 700)
    soundfile.write(wav, np.stack([left, right], 1), 8000)
    assert read_audio(wav, 8000) == pytest.approx((left + right) / 2, abs=4e-5)


def test_other_formats_are_read(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", tone(8000), 8000)
    assert read_audio(tmp_path / "a.flac", 8000) == pytest.approx(tone(8000), abs=4e-5)


def test_a_lower_rate_is_refused(wav: Path) -> None:
    with pytest.raises(
        UserError, match=r"recording\.wav: 8000 Hz .* set data\.sample_rate to 8000"
    ):
        check_header(wav, 16000)


def test_a_file_cut_short_anywhere_is_refused(wav: Path) -> None:
    whole = wav.read_bytes()
    for size in (0, 3, 20, 43, 44, 1000, len(whole) - 1):
        wav.write_bytes(whole[:size])
        with pytest.raises(UserError, match=r"recording\.wav"):
            check_header(wav, 8000)


@pytest.mark.parametrize("cut", [1, 5000])
def test_a_file_cut_short_whose_own_length_was_never_written_is_refused(
    wav: Path, cut: int
) -> None:
    whole = wav.read_bytes()
    unknown = whole[:4] + bytes(4) + whole[8:]
    wav.write_bytes(unknown)
    check_header(wav, 8000)
    wav.write_bytes(unknown[:-cut])
    with pytest.raises(UserError, match="is truncated"):
        check_header(wav, 8000)


def test_a_chunk_before_the_audio_is_skipped(wav: Path) -> None:
    whole = wav.read_bytes()
    odd = b"note" + (3).to_bytes(4, "little") + b"abc\0"
    longer = (len(whole) - 8 + len(odd)).to_bytes(4, "little")
    wav.write_bytes(whole[:4] + longer + whole[8:12] + odd + whole[12:])
    check_header(wav, 8000)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.wav")
    with pytest.raises(UserError, match=r"x\.wav: is no file: remove it"):
        check_header(tmp_path / "x.wav", 8000)


def test_samples_far_beyond_full_scale_are_refused(wav: Path) -> None:
    soundfile.write(wav, 3 * tone(8000), 8000, subtype="FLOAT")  # peaks at 1.5
    read_audio(wav, 8000)
    # What channels have beyond it is seen where their mean is small, too.
    loud = np.stack([1000 * tone(8000), -999 * tone(8000)], 1)
    soundfile.write(wav, loud, 8000, subtype="FLOAT")
    with pytest.raises(UserError, match=r"recording\.wav: has samples of up to 500, far beyond"):
        read_audio(wav, 8000)


def written(path: Path, kind: str, seconds: int = 3) -> bytes:
    """A file of noise in a format of libsndfile's."""
    samples = np.random.default_rng(0).uniform(-0.5, 0.5, seconds * 8000)
    soundfile.write(path, samples, 8000, format=kind)
    return path.read_bytes()


@pytest.mark.parametrize("kind", ["OGG", "RF64", "WAV", "WAVEX"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.999])
def test_any_kind_that_is_cut_short_is_refused(tmp_path: Path, kind: str, share: float) -> None:
    path = tmp_path / "x"
    whole = written(path, kind)
    assert len(read_audio(path, 8000)) == 24000
    assert len(decode_audio(whole, "x", 8000)) == 24000
    cut = whole[: int(share * len(whole))]
    path.write_bytes(cut)
    with pytest.raises(UserError, match=r"x: (the file is truncated|cannot be read)"):
        check_header(path, 8000)
    with pytest.raises(UserError, match=r"x: (the file is truncated|cannot be read)"):
        decode_audio(cut, "x", 8000)


def test_an_ogg_that_is_cut_short_between_two_pages_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.ogg"
    whole = written(path, "OGG", 20)
    pages = [at for at in range(len(whole)) if whole[at : at + 4] == b"OggS"]
    assert len(pages) > 5
    for at in pages[3:]:
        path.write_bytes(whole[:at])
        with pytest.raises(UserError, match="is truncated"):
            check_header(path, 8000)


def test_a_wav_of_the_other_byte_order_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    soundfile.write(path, tone(8000), 8000, format="WAV", endian="BIG")
    whole = path.read_bytes()
    assert whole[:4] == b"RIFX"
    check_header(path, 8000)
    path.write_bytes(whole[:-2])
    with pytest.raises(UserError, match="is truncated"):
        check_header(path, 8000)


@pytest.mark.parametrize("kind", ["AIFF", "AU", "W64", "CAF", "MP3"])
def test_a_format_whose_length_is_not_checked_is_not_read(tmp_path: Path, kind: str) -> None:
    content = written(tmp_path / "x", kind)
    for refused in (
        lambda: check_header(tmp_path / "x", 8000),
        lambda: decode_audio(content, "x", 8000),
    ):
        with pytest.raises(UserError, match=rf"x: is {kind}, and WAV, FLAC, Ogg and SPHERE are re"):
            refused()


def test_a_rate_that_no_recording_has_is_named(wav: Path) -> None:
    soundfile.write(wav, tone(8000), 1_000_000)
    with pytest.raises(UserError, match=r"recording\.wav: has 1000000 samples a second, where spe"):
        check_header(wav, 8000, min_seconds=0.1)


def test_an_ogg_with_a_hole_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.ogg"
    whole = written(path, "OGG", 20)
    pages = [at for at in range(len(whole)) if whole[at : at + 4] == b"OggS"]
    middle = len(pages) // 2
    holed = whole[: pages[middle]] + whole[pages[middle + 2] :]
    path.write_bytes(holed)
    for read in (
        lambda: read_audio(path, 8000),
        lambda: decode_audio(holed, "x.ogg", 8000),
        lambda: list(open_sound(path).mono(8000)),
    ):
        with pytest.raises(UserError, match=r"x\.ogg: the file is truncated"):
            read()


def test_an_rf64_that_lacks_what_follows_its_audio_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    whole = bytearray(written(path, "RF64")) + b"note\4\0\0\0abcd"
    whole[20:28] = (len(whole) - 8).to_bytes(8, "little")
    path.write_bytes(whole)
    check_header(path, 8000)
    path.write_bytes(whole[:-2])
    with pytest.raises(UserError, match="is truncated"):
        check_header(path, 8000)


def test_a_flac_that_does_not_say_how_long_it_is_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.flac"
    whole = bytearray(written(path, "FLAC"))
    whole[21] &= 0xF0
    whole[22:26] = bytes(4)
    path.write_bytes(whole)
    for read in (lambda: check_header(path, 8000), lambda: decode_audio(bytes(whole), "x.flac", 8)):
        with pytest.raises(UserError, match=r"x\.flac: does not say how long it is"):
            read()


def test_a_flac_that_ends_before_it_says_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.flac"
    whole = bytearray(written(path, "FLAC"))
    assert int.from_bytes(whole[21:26]) & 0xFFFFFFFFF == 24000  # samples, in 36 bits
    whole[24:26] = (25000).to_bytes(2)
    path.write_bytes(whole)
    for read in (lambda: read_audio(path, 8000), lambda: decode_audio(bytes(whole), "x", 8000)):
        with pytest.raises(UserError, match=r"x.*(is truncated|cannot be decoded)"):
            read()
    with pytest.raises(UserError, match=r"x\.flac: (the file is truncated|cannot be decoded)"):
        list(open_sound(path).mono(8000))


def test_a_flac_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.flac"
    soundfile.write(path, np.random.default_rng(0).uniform(-0.5, 0.5, 8000), 8000)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(UserError, match=r"short\.flac"):
        read_audio(path, 8000)


@pytest.mark.parametrize("content", [b"no sound at all, but text", bytes(100)])
def test_other_content_is_refused(wav: Path, content: bytes) -> None:
    wav.write_bytes(content)
    with pytest.raises(UserError, match=r"recording\.wav: cannot be read as sound"):
        check_header(wav, 8000)


def test_no_file_no_samples_no_sound(wav: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.wav: cannot be opened"):
        read_audio(tmp_path / "none.wav", 8000)
    soundfile.write(wav, np.zeros(0), 8000)
    with pytest.raises(UserError, match="holds no audio"):
        read_audio(wav, 8000)
    soundfile.write(wav, np.zeros(800), 8000)
    with pytest.raises(UserError, match="is silent"):
        read_audio(wav, 8000)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_samples_that_are_no_numbers_are_refused(wav: Path, value: float) -> None:
    samples = tone(8000)
    samples[4000] = value
    soundfile.write(wav, samples, 8000, subtype="FLOAT")
    with pytest.raises(UserError, match="not finite"):
        read_audio(wav, 8000)


def test_rounding_to_16_bits_clips() -> None:
    samples = np.array([0, 0.5, -0.5, 1.5, -1.5, 0.4 / 32768], np.float32)
    assert to_int16(samples).tolist() == [0, 16384, -16384, 32767, -32768, 0]
