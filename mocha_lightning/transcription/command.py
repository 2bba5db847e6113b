"""The command ``transcribe``: sound in, words out; what is said about them goes to stderr."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from jaxtyping import Float32
from numpy import ndarray

from mocha_lightning.arriving import Arriving
from mocha_lightning.data.sound import Sound, open_pcm, open_sound
from mocha_lightning.each_file import STANDARD_INPUT, each_file, say
from mocha_lightning.errors import NotANumberError, UserError
from mocha_lightning.experiment.places import RESULT
from mocha_lightning.transcription.listener import Listener, Word
from mocha_lightning.transcription.options import Options
from mocha_lightning.transcription.printing import PRINTERS, Heard, Printer
from mocha_lightning.transcription.recognition import Recognition, load_recognition


def transcribe(options: Options, arriving: Arriving | None = None) -> bool:
    """Print what is said, file after file; a file that cannot be used keeps no other from it.

    Args:
        options: what is asked.
        arriving: standard input, where it is being read already.

    Returns:
        Whether all of it could be recognised.

    Raises:
        UserError: the run cannot be used, or its attention cannot stream.
    """
    # As runs compute; and one thread is what a claim of real time is about.
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    recognition = load_recognition(Path(options.checkpoint))
    recognition.streamer()  # refuses attention that needs the whole of an utterance
    rate = recognition.frontend.features.sample_rate
    say(
        f"{recognition.mechanism}, which hears {recognition.lookahead} ms ahead, at {rate} Hz, "
        f"from {options.checkpoint}"
    )
    printer, several = PRINTERS[options.form], len(options.files) > 1
    heard: list[Heard] = []

    def do(name: str) -> None:
        sound = _opened(name, options, rate, arriving)
        _transcribe(sound, recognition, printer(name, several), heard)

    try:
        return each_file((STANDARD_INPUT,) if options.stream else options.files, do)
    finally:
        total = Heard(
            [word for each in heard for word in each.words],
            sum(each.seconds for each in heard),
            sum(each.busy for each in heard),
            all(each.silent for each in heard),
        )
        if total.seconds:
            say(total.speed)
        if not total.words and not total.silent:
            say(
                "No word in sound that is not silent: the recogniser may have learned nothing yet "
                f"(its scores are in the run's {RESULT}), or the sound is of another kind than "
                "what it was trained on"
            )


def _opened(name: str, options: Options, rate: int, arriving: Arriving | None) -> Sound:
    if not options.stream:
        return open_sound(Path(name))
    if sys.stdin is None:
        raise UserError("is closed: give it samples, as in `arecord -t raw ... | ...`")
    arriving = arriving or Arriving(sys.stdin.fileno())
    return open_pcm(arriving.read, name, options.rate or rate)


def _transcribe(
    sound: Sound, recognition: Recognition, printer: Printer, heard: list[Heard]
) -> None:
    """Print one file's words; what came of it is added to ``heard``, also where it breaks off."""
    rate = recognition.frontend.features.sample_rate
    if changes := _changes(sound, rate):
        say(f"{sound.name}: {changes}")
    listener, words, clock = Listener(recognition), [], _Clock()
    whole = False

    def tell(fresh: list[Word]) -> None:
        for word in fresh:
            words.append(word)
            printer.word(word)

    try:
        try:
            for fresh in _fresh(sound.mono(rate), listener, clock):
                tell(fresh)
            whole = True
        except (KeyboardInterrupt, UserError, NotANumberError):
            tell(listener.stop())
            raise
    finally:
        heard.append(Heard(words, listener.seconds, clock.busy, listener.silent))
        if whole or words:
            printer.end(heard[-1], whole)
        if whole and not words:
            say(f"{sound.name}: (no words)")


def _fresh(
    samples: Iterator[Float32[ndarray, " samples"]], listener: Listener, clock: "_Clock"
) -> Iterator[list[Word]]:
    """The words of each block of sound, and of its end."""
    for block in samples:
        with clock:
            words = listener.accept(block)
        yield words
    with clock:
        words = listener.finish()
    yield words


def _changes(sound: Sound, rate: int) -> str:
    """What is done to the sound before it is heard; nothing where it is as it must be."""
    changes = []
    if sound.channels > 1:
        changes.append(f"the mean of {sound.channels} channels")
    if sound.sample_rate != rate:
        changes.append(f"resampled from {sound.sample_rate} to {rate} Hz")
    return ", ".join(changes)


class _Clock:
    """Adds up the time between entering and leaving."""

    def __init__(self) -> None:
        self.busy = 0.0
        self._since = 0.0

    def __enter__(self) -> None:
        self._since = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.busy += time.perf_counter() - self._since
