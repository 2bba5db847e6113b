"""What may be asked of ``transcribe``. Nothing here imports torch."""

from argparse import ArgumentTypeError
from dataclasses import dataclass
from typing import Literal

from jsonargparse import ArgumentParser, Namespace

from mocha_lightning.data.rates import GREATEST_RATE, LEAST_RATE
from mocha_lightning.errors import UserError

Form = Literal["text", "timestamps", "json"]


@dataclass(frozen=True)
class Options:
    """What to transcribe, with what, and how it is to be printed.

    Args:
        files: sound files.
        stream: whether raw samples come on standard input in their place.
        rate: of those, in Hz; None is the recogniser's.
        checkpoint: a run's folder or a checkpoint in it.
        form: of what is printed.

    Raises:
        UserError: there is nothing to transcribe, or two things that exclude each other are asked.
    """

    files: tuple[str, ...]
    stream: bool
    rate: int | None
    checkpoint: str
    form: Form

    def __post_init__(self) -> None:
        if self.stream == bool(self.files):
            raise UserError(
                "give sound files, or else --stream - for raw samples on standard input"
            )
        if self.rate is not None and not self.stream:
            raise UserError("--rate: is for --stream alone (a file says its own): leave it out")

    @classmethod
    def of(cls, given: Namespace) -> "Options":
        """From the command line."""
        if given.timestamps and given.json:
            raise UserError("--timestamps: --json has them too: give one of the two")
        form: Form = "timestamps" if given.timestamps else "json" if given.json else "text"
        files, stream = tuple(given.files), given.stream is not None
        return cls(files, stream, given.rate, given.checkpoint, form)


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``transcribe`` to its parser."""
    parser.add_argument(
        "files", type=str, nargs="*", metavar="FILE", help="sound files: WAV, FLAC, Ogg, SPHERE"
    )
    parser.add_argument(
        "--checkpoint",
        type=str,
        required=True,
        metavar="RUN",
        help="a run's folder, or a checkpoint in it",
    )
    parser.add_argument(
        "--stream",
        choices=("-",),
        help="instead of files: raw 16-bit little-endian samples of one channel on standard input",
    )
    parser.add_argument(
        "--rate", type=_rate, help="samples a second of --stream (default: the recogniser's)"
    )
    parser.add_argument(
        "--timestamps",
        action="store_true",
        help="a line for each word: seconds of audio heard when it was decided, where the head "
        "stopped for its last symbol (a dash: past the audio's end), the word",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="a JSON object in a line for each word as it comes, and a last one for each file",
    )


def _rate(text: str) -> int:
    try:
        rate = int(text)
    except (TypeError, ValueError):
        rate = 0
    if not LEAST_RATE <= rate <= GREATEST_RATE:
        raise ArgumentTypeError(
            f"must be a whole number from {LEAST_RATE} to {GREATEST_RATE} Hz, not {text or 'empty'}"
        )
    return rate
