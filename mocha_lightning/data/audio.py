"""Reading recordings, with a plain word on those that cannot be used."""

import stat
import struct
from pathlib import Path

import numpy as np
import soundfile
import soxr
from jaxtyping import Float32, Int16
from numpy import ndarray

from mocha_lightning.errors import UserError

MAX_PEAK = 2.0
"""Where full scale is 1; a little more is usual after mixing, much more is another scale."""


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
        status = path.stat()
        # To open a pipe would wait for whoever writes into it.
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{path}: is no file: remove it")
        size = status.st_size
        cut_short = _is_cut_short(path, size)
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
    if cut_short:
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
            throughout or has samples that are no numbers or far beyond full scale.
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
    peak = np.abs(channels).max()
    if peak > MAX_PEAK:
        raise UserError(
            f"{path}: has samples of up to {peak:.3g}, far beyond full scale, which is 1: write "
            "the file again with its samples scaled to [-1, 1]"
        )
    if file_rate == sample_rate:
        return samples
    return np.asarray(soxr.resample(samples, file_rate, sample_rate))


def to_int16(samples: Float32[ndarray, " samples"]) -> Int16[ndarray, " samples"]:
    """Samples as a 16-bit file would hold them, clipped.

    Features of these do not hang on the last bits of the floats that they were mixed from.
    """
    return np.asarray(np.clip(np.rint(samples * 32768), -32768, 32767), np.int16)


def _is_cut_short(path: Path, size: int) -> bool:
    """Whether a WAV file says that it, or its audio, is longer than the file."""
    with path.open("rb") as file:
        head = file.read(12)
        if head[:4] != b"RIFF" or len(head) < 12:
            return False
        if struct.unpack("<I", head[4:8])[0] + 8 > size:
            return True
        while len(chunk := file.read(8)) == 8:
            name, length = struct.unpack("<4sI", chunk)
            if name == b"data":
                return bool(file.tell() + length > size)
            file.seek(length + length % 2, 1)  # chunks begin at even places
    return False


def _reason(error: soundfile.LibsndfileError) -> str:
    return str(error.error_string).strip().rstrip(".")
