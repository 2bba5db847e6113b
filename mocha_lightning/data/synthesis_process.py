"""Speech by eSpeak NG, as a program of its own.

eSpeak gives the same samples again only if one fresh process speaks the same texts in the same
order, each after its random numbers have been seeded (a seed alone is not enough: the engine
keeps other state). So this file is run as a script, reads all requests from standard input and
writes the audio to standard output in that order. It imports the standard library alone, and so
starts at once.

    python synthesis_process.py LIBRARY DATA_FOLDER < requests > audio

A request is a line of JSON with text, voice, rate (words a minute) and pitch (0 to 100). An answer
is the number of samples, the number of words (4 bytes each), the samples (2 bytes each, 22,050 a
second) and, in samples, where each word ends (4 bytes each), little-endian.
"""

import ctypes
import json
import os
import struct
import sys
from typing import NamedTuple

SAMPLE_RATE = 22050

# From speak_lib.h of eSpeak NG 1.52.
AUDIO_OUTPUT_SYNCHRONOUS = 2
INITIALIZE_PHONEME_EVENTS = 0x0001
INITIALIZE_DONT_EXIT = 0x8000
RATE, PITCH = 1, 3
CHARS_UTF8 = 1
LIST_TERMINATED, WORD, END, PHONEME = 0, 1, 5, 7
PAUSE = b"_"
"""What the names of phonemes begin with that are none."""


class Mark(NamedTuple):
    """Where a word or a phoneme begins in the audio, or where the audio ends."""

    type: int
    text_position: int
    sample: int
    is_speech: bool


class Event(ctypes.Structure):
    """What eSpeak says of a place in the audio: here begins a word, a phoneme."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", ctypes.c_char * 8),
    )

    type: int
    text_position: int
    sample: int
    id: bytes


CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event)
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
        self.marks: list[Mark] = []
        # eSpeak cuts a path off after 160 bytes; from inside the folder "." always fits.
        os.chdir(data)
        options = INITIALIZE_DONT_EXIT | INITIALIZE_PHONEME_EVENTS
        rate = self.espeak.espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, b".", options)
        if rate != SAMPLE_RATE:
            raise RuntimeError(f"eSpeak NG did not start from {data} (it answered {rate})")
        self.callback = CALLBACK(self._receive)  # kept: C holds no reference
        self.espeak.espeak_SetSynthCallback(self.callback)

    def _receive(
        self,
        samples: "ctypes._Pointer[ctypes.c_short]",
        count: int,
        events: "ctypes._Pointer[Event]",
    ) -> int:
        if samples and count > 0:
            self.chunks.append(ctypes.string_at(samples, 2 * count))
        place = 0
        while events[place].type != LIST_TERMINATED:
            event = events[place]
            if event.type in (WORD, PHONEME, END):
                is_speech = event.type == PHONEME and not event.id.startswith(PAUSE)
                mark = Mark(event.type, event.text_position, event.sample, is_speech)
                self.marks.append(mark)
            place += 1
        return 0

    def speak(
        self, text: str, voice: str, rate: int, pitch: int, seed: int
    ) -> tuple[bytes, list[int]]:
        """The text as 16-bit samples, and the sample that each word ends before."""
        self.chunks, self.marks = [], []
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
        ends = word_ends(self.marks)
        if len(ends) != len(text.split()):
            raise RuntimeError(f"eSpeak NG tells {len(ends)} words in {text!r}")
        return b"".join(self.chunks), ends


def word_ends(marks: list[Mark]) -> list[int]:
    """The sample that each word ends before, from what is said of where words and phonemes begin.

    A word ends where what follows its last phoneme begins: a pause, the next word or its first
    phoneme. (The next word may be said to begin with that last phoneme, where the two run into each
    other; and a last phoneme may be silent, and begin with the pause.)
    """
    ends = []
    for place, word in enumerate(marks):
        if word.type == WORD:
            position = word.text_position
            own = [k for k, m in enumerate(marks) if m.is_speech and m.text_position == position]
            last = max([place, *own])
            begun = marks[last].sample
            later = (m for m in marks[last + 1 :] if m.type != WORD or m.sample > begun)
            ends.append(next(later).sample)
    return ends


def main() -> None:
    """Answer the requests of standard input, in order."""
    requests = [json.loads(line) for line in sys.stdin.buffer.read().splitlines()]
    synthesiser = Synthesiser(*sys.argv[1:])
    try:
        for number, request in enumerate(requests, 1):
            audio, ends = synthesiser.speak(**request, seed=number)
            sizes = struct.pack("<ii", len(audio) // 2, len(ends))
            sys.stdout.buffer.write(sizes + audio + struct.pack(f"<{len(ends)}i", *ends))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever asked was ended. What is left to write goes nowhere, without a word.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
