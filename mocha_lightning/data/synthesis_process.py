"""Speech by eSpeak NG, as a program of its own.

eSpeak gives the same samples again only if one fresh process speaks the same texts in the same
order, each after its random numbers have been seeded (a seed alone is not enough: the engine
keeps other state). So this file is run as a script, reads all requests from standard input and
writes the audio to standard output in that order. It imports the standard library alone, and so
starts at once.

    python synthesis_process.py LIBRARY DATA_FOLDER < requests > audio

A request is a line of JSON with text, voice, rate (words a minute) and pitch (0 to 100). An answer
is the number of samples (4 bytes) and the samples (2 bytes each, 22,050 a second), little-endian.
"""

import ctypes
import json
import os
import struct
import sys

SAMPLE_RATE = 22050

# From speak_lib.h of eSpeak NG 1.52.
AUDIO_OUTPUT_SYNCHRONOUS = 2
INITIALIZE_DONT_EXIT = 0x8000
RATE, PITCH = 1, 3
CHARS_UTF8 = 1
CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class Synthesiser:
    """eSpeak NG through its C interface.

    Args:
        library: path of the shared library.
        data: path of its ``espeak-ng-data`` folder.
    """

    def __init__(self, library: str, data: str) -> None:
        self.espeak = ctypes.CDLL(library)
        self.chunks: list[bytes] = []
        # eSpeak cuts a path off after 160 bytes; from inside the folder "." always fits.
        os.chdir(data)
        rate = self.espeak.espeak_Initialize(
            AUDIO_OUTPUT_SYNCHRONOUS, 0, b".", INITIALIZE_DONT_EXIT
        )
        if rate != SAMPLE_RATE:
            raise RuntimeError(f"eSpeak NG did not start from {data} (it answered {rate})")
        self.callback = CALLBACK(self._receive)  # kept: C holds no reference
        self.espeak.espeak_SetSynthCallback(self.callback)

    def _receive(self, samples: "ctypes._Pointer[ctypes.c_short]", count: int, _: int) -> int:
        if samples and count > 0:
            self.chunks.append(ctypes.string_at(samples, 2 * count))
        return 0

    def speak(self, text: str, voice: str, rate: int, pitch: int, seed: int) -> bytes:
        """The text as 16-bit samples."""
        self.chunks = []
        self.espeak.espeak_ng_SetRandSeed(ctypes.c_long(seed))
        if self.espeak.espeak_SetVoiceByName(voice.encode()) != 0:
            raise RuntimeError(f"eSpeak NG has no voice {voice!r}")
        self.espeak.espeak_SetParameter(RATE, rate, 0)
        self.espeak.espeak_SetParameter(PITCH, pitch, 0)
        encoded = text.encode()
        self.espeak.espeak_Synth(
            encoded, ctypes.c_size_t(len(encoded) + 1), 0, 1, 0, CHARS_UTF8, None, None
        )
        self.espeak.espeak_Synchronize()
        return b"".join(self.chunks)


def main() -> None:
    """Answer the requests of standard input, in order."""
    requests = [json.loads(line) for line in sys.stdin.buffer.read().splitlines()]
    synthesiser = Synthesiser(*sys.argv[1:])
    try:
        for number, request in enumerate(requests, 1):
            audio = synthesiser.speak(**request, seed=number)
            sys.stdout.buffer.write(struct.pack("<i", len(audio) // 2) + audio)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever asked was ended. What is left to write goes nowhere, without a word.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
