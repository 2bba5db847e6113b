"""Sound that is read block by block, so that its length does not matter."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
import soxr
from jaxtyping import Float32
from numpy import ndarray

from mocha_lightning.data import sphere
from mocha_lightning.data.audio import AudioInfo, audio_info, check_samples, truncated, undecodable
from mocha_lightning.data.features import WINDOW_SECONDS
from mocha_lightning.errors import UserError

BLOCK_SECONDS = 1.0
"""How much of a file is read at once."""
HEADERS = (b"RIFF", b"fLaC", b"OggS", sphere.MAGIC)
"""What files begin with that are no raw samples."""
"""The most that is taken from a pipe at once; it gives what it has."""


class Sound(NamedTuple):
    """Sound as it arrives.

    Attributes:
        name: what to call it in messages.
        sample_rate: in Hz.
        channels: how many.
        blocks: the samples in [-1, 1], some at a time.
    """

    name: str
    sample_rate: int
    channels: int
    blocks: Iterator[Float32[ndarray, "frames channels"]]

    def mono(self, sample_rate: int) -> Iterator[Float32[ndarray, " samples"]]:
        """The mean of the channels at another rate, up or down; nothing is kept of what has gone.

        The samples are those of resampling all at once, whatever the blocks.

        Args:
            sample_rate: that is needed, in Hz.

        Raises:
            UserError: it cannot be decoded to its end; samples are no numbers or far beyond full
                scale.
        """
        same = self.sample_rate == sample_rate
        stream = None if same else soxr.ResampleStream(self.sample_rate, sample_rate, 1)
        for block in self.blocks:
            check_samples(self.name, block)
            samples = block.mean(1)
            yield samples if stream is None else stream.resample_chunk(samples)
        if stream is not None:
            yield stream.resample_chunk(np.zeros(0, np.float32), last=True)


def open_sound(path: Path) -> Sound:
    """A WAV, FLAC, Ogg or SPHERE file (compressed SPHERE: decoded whole).

    Raises:
        UserError: no such file, empty or truncated, or of a sample rate that no recording has.
    """
    with _naming(str(path)):
        if path.is_dir():
            raise UserError(f"{path}: is a folder: give the sound files in it")
        info = audio_info(path)
        with path.open("rb") as file:
            if sphere.is_sphere(file.read(len(sphere.MAGIC))):
                file.seek(0)
                channels = sphere.read_header(file, str(path)).channel_count
                return Sound(str(path), info.sample_rate, channels, _sphere_blocks(path))
        channels = soundfile.info(os.fsencode(path)).channels
    return Sound(str(path), info.sample_rate, channels, _blocks(path, info))


def open_pcm(read: Callable[[], bytes], name: str, sample_rate: int) -> Sound:
    """Raw 16-bit little-endian samples of one channel, each block what has arrived by then.

    Args:
        read: gives what came next, and nothing at the end.
        name: what to call it in messages.
        sample_rate: in Hz.
    """
    return Sound(name, sample_rate, 1, _pcm_blocks(read, name, sample_rate))


def _blocks(path: Path, info: AudioInfo) -> Iterator[Float32[ndarray, "frames channels"]]:
    left, frames = info.frames, round(BLOCK_SECONDS * info.sample_rate)
    try:
        # Not soundfile.blocks, which gives the last block again where a file has less than it says.
        with soundfile.SoundFile(os.fsencode(path)) as file:
            while left > 0:
                block = file.read(frames, dtype="float32", always_2d=True)
                if len(block) == 0:
                    raise truncated(str(path))
                left -= len(block)
                yield block
    except soundfile.LibsndfileError as error:
        raise undecodable(str(path), error) from error


def _sphere_blocks(path: Path) -> Iterator[Float32[ndarray, "frames channels"]]:
    with _naming(str(path)), path.open("rb") as file:
        yield from sphere.decode_blocks(file, str(path), BLOCK_SECONDS)


def _pcm_blocks(
    read: Callable[[], bytes], name: str, sample_rate: int
) -> Iterator[Float32[ndarray, "frames 1"]]:
    left, count = b"", 0
    while data := _arrived(read, name):
        if count == 0 and data.startswith(HEADERS):
            raise UserError(
                f"{name}: begins as a sound file does, and raw samples are expected: give the file "
                "by its name"
            )
        data = left + data
        # Half a sample waits for its other half.
        whole = len(data) // 2 * 2
        data, left = data[:whole], data[whole:]
        count += whole // 2
        yield np.frombuffer(data, "<i2").astype(np.float32)[:, None] / 32768
    if count < WINDOW_SECONDS * sample_rate:
        raise UserError(
            f"{name}: ended after {count} samples, less than the {WINDOW_SECONDS * 1000:.0f} ms "
            f"that can be heard at {sample_rate} Hz: send more, as in `arecord -t raw ... | ...`"
        )


def _arrived(read: Callable[[], bytes], name: str) -> bytes:
    with _naming(name):
        return read()


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Have what the system refuses said in a line that begins with a name."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{name}: cannot be read ({error.strerror}): give another") from error
