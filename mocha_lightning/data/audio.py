"""Reading recordings, with a plain word on those that cannot be used."""

import struct
from pathlib import Path

import numpy as np
import soundfile
import soxr
from jaxtyping import Float32, Int16
from numpy import ndarray

from mocha_lightning.errors import UserError


def check_header(path: Path, sample_rate: int, min_seconds: float = 0.0) -> None:
    """See from a file's header alone whether it can be used; quick enough for whole corpora.

    Args:
        path: a sound file in any format that libsndfile reads.
        sample_rate: the rate that is needed, in Hz.
        min_seconds: the least length of a file that can hold what it should.

    Raises:
        UserError: no sound file, empty, truncated, too short, or of too low a sample rate.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise UserError(f"{path}: cannot be opened: {error.strerror}") from error
    if size == 0:
        raise UserError(f"{path}: the file is empty (0 bytes): fetch it again or remove it")
    try:
        info = soundfile.info(path)
    except soundfile.LibsndfileError as error:
        raise UserError(
            f"{path}: cannot be read as sound ({_reason(error)}): fetch it again or remove it"
        ) from error
    # libsndfile reads what is there of a file that is cut short and says nothing.
    if start[:4] == b"RIFF" and struct.unpack("<I", start[4:])[0] + 8 > size:
        raise UserError(f"{path}: the file is truncated: fetch it again or remove it")
    if info.frames == 0:
        raise UserError(f"{path}: holds no audio: fetch it again or remove it")
    if info.duration < min_seconds:
        raise UserError(
            f"{path}: is {info.duration:.3g} s long, less than the {min_seconds:.3g} s that it "
            "should be at least: fetch it again or remove it"
        )
    if info.samplerate < sample_rate:
        raise UserError(
            f"{path}: {info.samplerate} Hz is less than data.sample_rate ({sample_rate}): audio is "
            f"not upsampled; set data.sample_rate to {info.samplerate} or less"
        )


def read_audio(path: Path, sample_rate: int) -> Float32[ndarray, " samples"]:
    """Samples of a file in [-1, 1], its channels averaged, resampled where the rate is higher.

    Raises:
        UserError: as :func:`check_header`; also when it cannot be decoded to its end, is silent
            throughout or has samples that are no numbers.
    """
    check_header(path, sample_rate)
    try:
        channels, file_rate = soundfile.read(path, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise UserError(
            f"{path}: cannot be decoded ({_reason(error)}): fetch it again or remove it"
        ) from error
    samples: Float32[ndarray, " samples"] = channels.mean(1)
    if not np.isfinite(samples).all():
        raise UserError(f"{path}: has samples that are not finite: fetch it again or remove it")
    if not samples.any():
        raise UserError(f"{path}: is silent from start to end: fetch it again or remove it")
    if file_rate == sample_rate:
        return samples
    return np.asarray(soxr.resample(samples, file_rate, sample_rate))


def to_int16(samples: Float32[ndarray, " samples"]) -> Int16[ndarray, " samples"]:
    """Samples as a 16-bit file would hold them, clipped.

    Features of these do not hang on the last bits of the floats that they were mixed from.
    """
    return np.asarray(np.clip(np.rint(samples * 32768), -32768, 32767), np.int16)


def _reason(error: soundfile.LibsndfileError) -> str:
    return str(error.error_string).strip().rstrip(".")
