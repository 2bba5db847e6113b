"""SPHERE files as a test needs them: plain PCM, so that every part of one is known."""

from pathlib import Path

import numpy as np
from numpy import ndarray


def header(fields: dict[str, int | str], size: int = 1024) -> bytes:
    """A SPHERE header of so many bytes."""
    lines = ["NIST_1A", f"{size:7d}"]
    for name, value in fields.items():
        kind = "i" if isinstance(value, int) else f"s{len(value)}"
        lines.append(f"{name} -{kind} {value}")
    return "\n".join([*lines, "end_head", ""]).encode().ljust(size)


def pcm(samples: ndarray, rate: int = 16000, order: str = "01") -> dict[str, int | str]:
    """The header's fields that describe 16-bit samples (frames, or frames by channels)."""
    return {
        "channel_count": 1 if samples.ndim == 1 else samples.shape[1],
        "sample_count": len(samples),
        "sample_rate": rate,
        "sample_n_bytes": 2,
        "sample_byte_format": order,
        "sample_coding": "pcm",
        "sample_checksum": int(samples.astype(np.int64).sum()) % 65536,
    }


def write_sphere(
    path: Path, samples: ndarray, rate: int = 16000, order: str = "01", **changes: int | str
) -> None:
    """Write 16-bit samples as uncompressed SPHERE, low byte first ("01") or high byte ("10")."""
    data = samples.astype("<i2" if order == "01" else ">i2").tobytes()
    path.write_bytes(header({**pcm(samples, rate, order), **changes}) + data)
