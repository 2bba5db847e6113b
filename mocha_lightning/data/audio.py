"""Reading recordings, with a plain word on those that cannot be used."""

import io
import os
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import soundfile
import soxr
from jaxtyping import Float32, Int16
from numpy import ndarray

from mocha_lightning.data import sphere
from mocha_lightning.data.containers import FORMATS, is_cut_short
from mocha_lightning.data.rates import GREATEST_RATE, LEAST_RATE
from mocha_lightning.errors import UserError

MAX_PEAK = 2.0
"""Where full scale is 1; a little more is usual after mixing, much more is another scale."""
UNKNOWN = 2**63 - 1
"""Frames that libsndfile tells of a FLAC file without a length."""
CUT_TOLERANCE = 0.05
"""Seconds by which a cut may miss its file's end and mean it: lists round their numbers."""


class SilentError(UserError):
    """A recording is digital silence from start to end."""


class AudioInfo(NamedTuple):
    """What a file's header says; ``frames`` are samples of one channel."""

    frames: int
    sample_rate: int

    @property
    def seconds(self) -> float:
        """Length of the audio."""
        return self.frames / self.sample_rate


def audio_info(path: Path) -> AudioInfo:
    """See from a file's header alone whether it can be read; quick enough for whole corpora.

    Args:
        path: a WAV, FLAC, Ogg or SPHERE file.

    Raises:
        UserError: no sound file or one in another format, empty, truncated, or of a sample rate
            that no recording has.
    """
    try:
        status = path.stat()
        # To open a pipe would wait for whoever writes into it.
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{path}: is no file: remove it")
        size = status.st_size
        with path.open("rb") as file:
            if sphere.is_sphere(file.read(len(sphere.MAGIC))):
                file.seek(0)
                header = sphere.read_header(file, str(path))
                info = AudioInfo(header.sample_count, header.sample_rate)
                cut_short = sphere.is_cut_short(header, size)
            else:
                file.seek(0)
                cut_short = is_cut_short(file, size)
                info = _info(os.fsencode(path), str(path), size)
    except OSError as error:
        raise UserError(f"{path}: cannot be opened: {error.strerror}") from error
    if cut_short:
        raise truncated(str(path))
    if info.frames == 0:
        raise UserError(f"{path}: holds no audio: fetch it again or remove it")
    if not LEAST_RATE <= info.sample_rate <= GREATEST_RATE:
        raise UserError(
            f"{path}: has {info.sample_rate} samples a second, where speech has from {LEAST_RATE} "
            f"to {GREATEST_RATE}: its header is damaged, or it is no recording"
        )
    return info


def check_header(path: Path, sample_rate: int, min_seconds: float = 0.0) -> AudioInfo:
    """See from a file's header alone whether it can be used.

    Args:
        path: a WAV, FLAC, Ogg or SPHERE file.
        sample_rate: the rate that is needed, in Hz.
        min_seconds: the least length of a file that can hold what it should.

    Raises:
        UserError: as :func:`audio_info`; also when it is too short or of too low a sample rate.
    """
    info = audio_info(path)
    if info.seconds < min_seconds:
        raise UserError(
            f"{path}: is {info.seconds:.3g} s long, less than the {min_seconds:.3g} s that it "
            "should be at least: fetch it again or remove it"
        )
    _check_rate(str(path), info.sample_rate, sample_rate)
    return info


def read_audio(
    path: Path,
    sample_rate: int,
    start: float = 0.0,
    seconds: float | None = None,
    channel: int | None = None,
) -> Float32[ndarray, " samples"]:
    """Samples of a file in [-1, 1], resampled where its rate is higher.

    Args:
        path: a WAV, FLAC, Ogg or SPHERE file.
        sample_rate: the rate that is needed, in Hz.
        start: where in the file to begin, in seconds.
        seconds: how much of it to read; None for all that is left.
        channel: the one to take, counted from 0; None for the mean of all.

    Raises:
        UserError: as :func:`check_header`; also when it cannot be decoded to its end, lacks the
            part or the channel that is wanted, is silent throughout (:class:`SilentError`) or has
            samples that are no numbers or far beyond full scale.
    """
    info = check_header(path, sample_rate)
    first, last = cut_of(path, info, start, seconds)
    try:
        with path.open("rb") as file:
            if sphere.is_sphere(file.read(len(sphere.MAGIC))):
                file.seek(0)
                decoded, rate = sphere.decode(file.read(), str(path))
                decoded = decoded[first:last]
            else:
                decoded, rate = soundfile.read(
                    os.fsencode(path), last - first, first, dtype="float32", always_2d=True
                )
                if len(decoded) < last - first:
                    raise truncated(str(path))
    except soundfile.LibsndfileError as error:
        raise undecodable(str(path), error) from error
    except OSError as error:
        raise UserError(f"{path}: cannot be opened: {error.strerror}") from error
    return _usable(str(path), decoded, rate, sample_rate, channel)


def decode_audio(data: bytes, name: str, sample_rate: int) -> Float32[ndarray, " samples"]:
    """As :func:`read_audio`, of a file's content.

    Args:
        data: all bytes of a WAV, FLAC, Ogg or SPHERE file.
        name: what to call it in messages.
        sample_rate: the rate that is needed, in Hz.

    Raises:
        UserError: as :func:`read_audio`.
    """
    if sphere.is_sphere(data):
        decoded, rate = sphere.decode(data, name)
    else:
        info = _info(io.BytesIO(data), name, len(data))
        if is_cut_short(io.BytesIO(data), len(data)):
            raise truncated(name)
        try:
            decoded, rate = soundfile.read(io.BytesIO(data), dtype="float32", always_2d=True)
        except soundfile.LibsndfileError as error:
            raise undecodable(name, error) from error
        if len(decoded) < info.frames:
            raise truncated(name)
    if len(decoded) == 0:
        raise UserError(f"{name}: holds no audio: fetch it again or remove it")
    _check_rate(name, rate, sample_rate)
    return _usable(name, decoded, rate, sample_rate, None)


def cut_of(path: Path, info: AudioInfo, start: float, seconds: float | None) -> tuple[int, int]:
    """First frame of a cut and the one after its last.

    Raises:
        UserError: the cut is empty or not inside the file.
    """
    first = round(start * info.sample_rate)
    last = info.frames if seconds is None else round((start + seconds) * info.sample_rate)
    if abs(last - info.frames) <= CUT_TOLERANCE * info.sample_rate:
        last = info.frames
    if not 0 <= first < last <= info.frames:
        end = "its end" if seconds is None else f"{start + seconds:.3f} s"
        raise UserError(
            f"{path}: has {info.seconds:.3f} s and not the part from {start:.3f} s to {end}: "
            "correct the list or fetch the file again"
        )
    return first, last


def _usable(
    name: str,
    channels: Float32[ndarray, "frames channels"],
    file_rate: int,
    sample_rate: int,
    channel: int | None,
) -> Float32[ndarray, " samples"]:
    """Decoded audio as one channel at the rate that is needed."""
    if channel is None:
        samples: Float32[ndarray, " samples"] = channels.mean(1)
    elif channel < channels.shape[1]:
        samples = channels[:, channel]
    else:
        raise UserError(
            f"{name}: has {channels.shape[1]} channels and not one with the number {channel} "
            "(counted from 0): correct the list"
        )
    check_samples(name, channels)
    if not samples.any():
        raise SilentError(f"{name}: is silent from start to end: fetch it again or remove it")
    if file_rate == sample_rate:
        return samples
    return np.asarray(soxr.resample(samples, file_rate, sample_rate))


def check_samples(name: str, channels: Float32[ndarray, "frames channels"]) -> None:
    """Check that decoded samples are numbers in [-1, 1] or little more.

    Raises:
        UserError: they are not.
    """
    if not np.isfinite(channels).all():
        raise UserError(f"{name}: has samples that are not finite: fetch it again or remove it")
    peak = np.abs(channels).max(initial=0)
    if peak > MAX_PEAK:
        raise UserError(
            f"{name}: has samples of up to {peak:.3g}, far beyond full scale, which is 1: write "
            "the file again with its samples scaled to [-1, 1]"
        )


def to_int16(samples: Float32[ndarray, " samples"]) -> Int16[ndarray, " samples"]:
    """Samples as a 16-bit file would hold them, clipped.

    Features of these do not hang on the last bits of the floats that they were mixed from.
    """
    return np.asarray(np.clip(np.rint(samples * 32768), -32768, 32767), np.int16)


def _info(file: bytes | BinaryIO, name: str, size: int) -> AudioInfo:
    """What libsndfile says of a file, which is given as it wants it: a path's bytes, or open."""
    if size == 0:
        raise UserError(f"{name}: the file is empty (0 bytes): fetch it again or remove it")
    try:
        info = soundfile.info(file)
    except soundfile.LibsndfileError as error:
        raise UserError(
            f"{name}: cannot be read as sound ({_reason(error)}): fetch it again or remove it"
        ) from error
    if info.format not in FORMATS:
        raise UserError(
            f"{name}: is {info.format}, and WAV, FLAC, Ogg and SPHERE are read, whose files say "
            "where they end: convert it to one of them"
        )
    if info.frames == UNKNOWN:
        raise UserError(
            f"{name}: does not say how long it is, as sound written to a pipe does not: write it "
            "to a file again"
        )
    return AudioInfo(info.frames, info.samplerate)


def _check_rate(name: str, file_rate: int, sample_rate: int) -> None:
    if file_rate < sample_rate:
        raise UserError(
            f"{name}: {file_rate} Hz is less than data.sample_rate ({sample_rate}): audio is "
            f"not upsampled; set data.sample_rate to {file_rate} or less"
        )


def truncated(name: str) -> UserError:
    """What to say of a file that is shorter than it says it is."""
    return UserError(f"{name}: the file is truncated: fetch it again or remove it")


def undecodable(name: str, error: soundfile.LibsndfileError) -> UserError:
    """What to say of a file that libsndfile gives up on."""
    return UserError(f"{name}: cannot be decoded ({_reason(error)}): fetch it again or remove it")


def _reason(error: soundfile.LibsndfileError) -> str:
    return str(error.error_string).strip().rstrip(".")
