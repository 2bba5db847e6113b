"""Sound that is read block by block, so that its length does not matter."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
import soxr
from jaxtyping import Float32
from numpy import ndarray

from mocha_lightning.data import sphere
from mocha_lightning.data.audio import audio_info, check_samples, undecodable
from mocha_lightning.data.rates import GREATEST_RATE, LEAST_RATE
from mocha_lightning.errors import UserError

BLOCK_SECONDS = 1.0
"""How much of a file is read at once."""
READ_BYTES = 1 << 16
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
    """A sound file in any format that libsndfile reads, or SPHERE (compressed: decoded whole).

    Raises:
        UserError: no sound file, empty or truncated, or of a sample rate that no recording has.
    """
    if path.is_dir():
        raise UserError(f"{path}: is a folder: give the sound files in it")
    rate = audio_info(path).sample_rate
    if not LEAST_RATE <= rate <= GREATEST_RATE:
        raise UserError(
            f"{path}: has {rate} samples a second, where speech has from {LEAST_RATE} to "
            f"{GREATEST_RATE}: its header is damaged, or it is no recording"
        )
    with path.open("rb") as file:
        if sphere.is_sphere(file.read(len(sphere.MAGIC))):
            file.seek(0)
            channels = sphere.read_header(file, str(path)).channel_count
            return Sound(str(path), rate, channels, _sphere_blocks(path))
    channels = soundfile.info(os.fsencode(path)).channels
    return Sound(str(path), rate, channels, _blocks(path, round(BLOCK_SECONDS * rate)))


def open_pcm(descriptor: int, name: str, sample_rate: int) -> Sound:
    """Raw 16-bit little-endian samples of one channel, each block what has arrived by then.

    Args:
        descriptor: of an open file, such as standard input.
        name: what to call it in messages.
        sample_rate: in Hz.
    """
    return Sound(name, sample_rate, 1, _pcm_blocks(descriptor))


def _blocks(path: Path, frames: int) -> Iterator[Float32[ndarray, "frames channels"]]:
    try:
        yield from soundfile.blocks(os.fsencode(path), frames, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise undecodable(str(path), error) from error


def _sphere_blocks(path: Path) -> Iterator[Float32[ndarray, "frames channels"]]:
    with path.open("rb") as file:
        yield from sphere.decode_blocks(file, str(path), BLOCK_SECONDS)


def _pcm_blocks(descriptor: int) -> Iterator[Float32[ndarray, "frames 1"]]:
    left = b""
    while data := os.read(descriptor, READ_BYTES):
        data = left + data
        # Half a sample waits for its other half.
        whole = len(data) // 2 * 2
        data, left = data[:whole], data[whole:]
        yield np.frombuffer(data, "<i2").astype(np.float32)[:, None] / 32768
