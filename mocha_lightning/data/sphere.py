"""NIST SPHERE audio, as the Linguistic Data Consortium distributes it (WSJ's .wv1 files).

libsndfile reads no SPHERE that is compressed by shorten; desphere reads PCM, u-law and A-law, plain
or so compressed, in both byte orders. It is young, so what it decodes is held against the header.
"""

import io
from collections.abc import Iterator
from typing import BinaryIO

import desphere
import numpy as np
import soundfile
from desphere.codecs import resolve_codec
from jaxtyping import Float32
from numpy import ndarray

from mocha_lightning.errors import UserError

MAGIC = b"NIST_1A"
HEADER_BYTES = 1024
"""The usual size of a header; its second line says the true one."""
MOST_HEADER_BYTES = 1 << 20
"""More than any has; a damaged one may say anything."""


def is_sphere(start: bytes) -> bool:
    """Whether a file that starts so is SPHERE; its name tells nothing.

    Many convert a corpus to WAV in place and leave the names as they were.
    """
    return start.startswith(MAGIC)


def read_header(file: BinaryIO, name: str) -> desphere.SphereHeader:
    """The header at the start of an open SPHERE file.

    Args:
        file: at its start.
        name: of the file, for messages.

    Raises:
        UserError: the header is damaged.
    """
    start = file.read(HEADER_BYTES)
    size = start.split(b"\n", 2)[1:2]
    if size and size[0].strip().isdigit():
        start += file.read(min(max(0, int(size[0]) - len(start)), MOST_HEADER_BYTES))
    try:
        return desphere.SphereHeader.parse(start)
    except desphere.DesphereError as error:
        raise _damaged(name, error) from error


def is_cut_short(header: desphere.SphereHeader, size: int) -> bool:
    """Whether a file of so many bytes lacks audio; of a compressed one only decoding tells."""
    compressed = "," in header.sample_coding
    return not compressed and header.header_size + header.expected_data_bytes > size


def decode(data: bytes, name: str) -> tuple[Float32[ndarray, "frames channels"], int]:
    """Samples in [-1, 1] and sample rate (Hz) of a whole SPHERE file.

    The header's ``sample_count`` must be what was decoded. So must its ``sample_checksum``, where
    it has one: the sum of all samples modulo 2^16 (University of Cambridge, CUED/F-INFENG/TR.192,
    on the headers of WSJ-like corpora). Of companded (u-law, A-law) and of 32-bit samples it is not
    said what that sum is taken over, so theirs is not looked at.

    Args:
        data: the file's content.
        name: of the file, for messages.

    Raises:
        UserError: damaged, coded in a way that cannot be read, or not what the header says.
    """
    header = read_header(io.BytesIO(data), name)
    try:
        wav = desphere.transcode_bytes(data)
    except desphere.DesphereError as error:
        raise _damaged(name, error) from error
    samples, rate = soundfile.read(io.BytesIO(wav), dtype="float32", always_2d=True)
    if len(samples) != header.sample_count:
        raise UserError(
            f"{name}: holds {len(samples)} samples and its SPHERE header says "
            f"{header.sample_count}: fetch the file again"
        )
    _check_sum(header, _sum_of(samples), name)
    return samples, rate


def decode_blocks(
    file: BinaryIO, name: str, seconds: float
) -> Iterator[Float32[ndarray, "frames channels"]]:
    """As :func:`decode`, block by block; the checksum is looked at after the last one.

    One that is compressed is decoded whole, and then cut.

    Args:
        file: at its start.
        name: of the file, for messages.
        seconds: length of a block.

    Raises:
        UserError: as :func:`decode`.
    """
    header = read_header(file, name)
    frames = max(1, round(seconds * header.sample_rate))
    if "," in header.sample_coding:
        file.seek(0)
        samples, _ = decode(file.read(), name)
        yield from np.split(samples, range(frames, len(samples), frames))
        return
    file.seek(header.header_size)
    left, total = header.sample_count, 0
    while left > 0:
        wanted = min(left, frames) * header.sample_n_bytes * header.channel_count
        data = file.read(wanted)
        if len(data) < wanted:
            raise UserError(f"{name}: the file is truncated: fetch it again or remove it")
        try:
            bits, decoded = resolve_codec(header).decode(header, data)
        except desphere.DesphereError as error:
            raise _damaged(name, error) from error
        samples = np.frombuffer(decoded, f"<i{bits // 8}").astype(np.float32) / 2 ** (bits - 1)
        block = np.asarray(samples, np.float32).reshape(-1, header.channel_count)
        total += _sum_of(block)
        left -= len(block)
        yield block
    _check_sum(header, total, name)


def _sum_of(samples: Float32[ndarray, "frames channels"]) -> int:
    return int(np.rint(samples * 32768.0).sum(dtype=np.float64))


def _check_sum(header: desphere.SphereHeader, total: int, name: str) -> None:
    expected = header.get("sample_checksum")
    if expected is not None and header.sample_n_bytes == 2 and header.sample_coding[:3] == "pcm":
        checksum = total % 65536
        if checksum != expected:
            raise UserError(
                f"{name}: the checksum of its samples is {checksum} and its SPHERE header says "
                f"{expected}: fetch the file again"
            )


def _damaged(name: str, error: desphere.DesphereError) -> UserError:
    reason = " ".join(str(error).split()).rstrip(".")
    return UserError(f"{name}: cannot be read as SPHERE ({reason}): fetch it again or remove it")
