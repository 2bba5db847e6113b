"""Starts eSpeak NG in a process of its own and reads the speech; see ``synthesis_process.py``."""

import ctypes
import json
import signal
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int32
from numpy import ndarray

from mocha_lightning.data import synthesis_process
from mocha_lightning.errors import UserError

SAMPLE_RATE = synthesis_process.SAMPLE_RATE
"""Of what eSpeak NG makes, in Hz."""


@dataclass(frozen=True)
class Request:
    """What to say and how: a voice's name, words a minute, and pitch from 0 to 100."""

    text: str
    voice: str
    rate: int
    pitch: int


class Speech(NamedTuple):
    """What was said.

    Attributes:
        samples: in [-1, 1], 22,050 a second.
        word_ends: the sample that each word ends before.
    """

    samples: Float32[ndarray, " samples"]
    word_ends: Int32[ndarray, " words"]


def synthesise(requests: Iterable[Request]) -> Iterator[Speech]:
    """Have one fresh process speak all requests in order; the same ones give the same samples.

    Raises:
        UserError: the engine is not installed, or its process was killed.
    """
    library, data = espeak_paths()
    lines = "".join(json.dumps(asdict(request)) + "\n" for request in requests)
    # -P: the script's folder is not searched for modules; ours there have common names.
    command = [sys.executable, "-P", synthesis_process.__file__, library, data]
    # A session of its own: Ctrl-C ends this process, which then ends that one.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            # A process that has ended by now is told by its exit code below.
            with suppress(BrokenPipeError):
                process.stdin.write(lines.encode())
            with suppress(BrokenPipeError):
                process.stdin.close()
            while len(sizes := process.stdout.read(8)) == 8:
                samples, words = struct.unpack("<ii", sizes)
                answer = process.stdout.read(2 * samples + 4 * words)
                if len(answer) < 2 * samples + 4 * words:
                    break
                audio = np.frombuffer(answer, "<i2", samples).astype(np.float32) / 32768
                yield Speech(audio, np.frombuffer(answer, "<i4", words, 2 * samples))
            code = process.wait()
            if code < 0:
                raise UserError(
                    f"eSpeak NG's process ({synthesis_process.__file__}) was killed by "
                    f"{signal.Signals(-code).name} (signal {-code}), by somebody or by the system "
                    "where memory ran out: give the same command again"
                )
            if code != 0:
                raise RuntimeError("the synthesis process failed; its message is above")
        finally:
            process.kill()


def espeak_paths() -> tuple[str, str]:
    """Paths of the engine's library and of its data folder.

    Raises:
        UserError: the engine is not installed.
    """
    if find_spec("espeakng_loader") is None:
        raise UserError(
            "spoken numbers are synthesised by eSpeak NG, which is not installed: "
            'run pip install "mocha-lightning[espeak]"'
        )
    import espeakng_loader

    return str(espeakng_loader.get_library_path()), str(espeakng_loader.get_data_path())


def espeak_version() -> str:
    """Version of the engine and of the package that brings it.

    Raises:
        UserError: the engine is not installed or cannot be loaded.
    """
    library, _ = espeak_paths()
    try:
        espeak = ctypes.CDLL(library)
    except OSError as error:
        raise UserError(f"eSpeak NG cannot be loaded on this machine: {error}") from error
    espeak.espeak_Info.restype = ctypes.c_char_p
    engine = espeak.espeak_Info(None).decode().split()[0]
    return f"{engine} (espeakng-loader {version('espeakng-loader')})"
