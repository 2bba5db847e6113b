"""How fast recordings become features, and how long a batch of them takes to load.

First hours of audio a minute: a corpus is prepared from its headers to its checksum, by one process
and by more. It is noise in the rhythm of speech as FLAC, WAV and SPHERE (16 bits, 16 kHz), or the
sound files in a folder. That this process begins alone, for a second, counts too. Then milliseconds
a batch of 8 utterances of 700 frames: reading them from a prepared corpus with their differences,
normalised; and padding them to one tensor. Medians.
"""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from io import StringIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import soundfile
from harness import Options, compute_as_runs_do, median_milliseconds, print_table, significant
from jaxtyping import Float32
from numpy import ndarray

from mocha_lightning.data import LogMel, RecordedSpeech, Recording, Vocabulary
from mocha_lightning.data.audio import audio_info, to_int16
from mocha_lightning.data.noise import pink_noise
from mocha_lightning.data.speech import SpeechExample, collate
from mocha_lightning.data.unusable import Limits
from mocha_lightning.data.workers import cores
from mocha_lightning.errors import UserError

RATE = 16000
UTTERANCES, SECONDS = 600, 8
"""Of a made corpus: as many as take some seconds, as long as WSJ's are."""
REPETITIONS = 3
SYLLABLES = 4
"""A second."""
BATCH, FRAMES, BATCHES = 8, 700, 4
"""Of the paper's size, and how many different ones are loaded in turn."""


class Sounds(RecordedSpeech):
    """Sound files as a corpus: what is said does not matter here."""

    name = "sounds"
    speech = "none"

    def __init__(self, files: list[Path], cache_dir: str, processes: int) -> None:
        limits = Limits(0.1, None, "drop")
        super().__init__(
            Path(), limits, Vocabulary(), LogMel(RATE), cache_dir, batch_size=1, eval_batch_size=1
        )
        self.files = files
        self.jobs = processes

    def recordings(self) -> Iterator[Recording]:
        """The files; the first two to validate and to test on."""
        for number, path in enumerate(self.files):
            split = {0: "validation", 1: "test"}.get(number, "train")
            yield Recording(str(path), split, "a", "nobody", path)


def noise(seconds: float, seed: int) -> Float32[ndarray, " samples"]:
    """Pink noise whose level rises and falls as that of syllables."""
    samples = round(seconds * RATE)
    level = np.sin(np.pi * SYLLABLES * np.arange(samples) / RATE) ** 2
    return np.asarray(0.1 * level * pink_noise(np.random.default_rng(seed), samples, RATE), "f4")


def write(folder: Path, kind: str, utterances: int, seconds: float) -> list[Path]:
    """A folder of made utterances in files of one kind."""
    folder.mkdir()
    paths = [folder / f"{number:05d}.{kind.lower()}" for number in range(utterances)]
    for number, path in enumerate(paths):
        samples = to_int16(noise(seconds, number))
        if kind == "SPHERE":
            path.write_bytes(sphere_header(len(samples)) + samples.astype("<i2").tobytes())
        else:
            soundfile.write(path, samples, RATE, format=kind, subtype="PCM_16")
    return paths


def sphere_header(samples: int) -> bytes:
    """Of uncompressed 16-bit samples, the low byte first."""
    fields = f"""\
channel_count -i 1
sample_count -i {samples}
sample_rate -i {RATE}
sample_n_bytes -i 2
sample_byte_format -s2 01
sample_coding -s3 pcm
end_head
"""
    return b"NIST_1A\n   1024\n" + fields.encode().ljust(1024 - 16)


def hours(files: list[Path]) -> float:
    """Length of all audio."""
    return sum(audio_info(path).seconds for path in files) / 3600


def preparation(files: list[Path], folder: Path, processes: int) -> Callable[[], None]:
    """Prepares a corpus of the files, which is another each time it is called."""
    numbers = count()

    def prepare() -> None:
        with redirect_stderr(StringIO()):
            cache = folder / f"cache-{processes}-{next(numbers)}"
            Sounds(files, str(cache), processes).prepare_data()

    return prepare


def preparation_rows(
    corpora: Iterator[tuple[str, list[Path]]], processes: list[int], repetitions: int, folder: Path
) -> Iterator[dict[str, str]]:
    """One row for each corpus: its name and its files."""
    for name, files in corpora:
        length = hours(files)
        subjects = {
            f"{each} process{'es' if each > 1 else ''}": preparation(files, folder / name, each)
            for each in processes
        }
        times = median_milliseconds(subjects, repetitions)
        speeds = {column: significant(length * 6e4 / each) for column, each in times.items()}
        yield {"audio": name, "files": f"{len(files):,}", "hours": significant(length), **speeds}


def made(folder: Path, utterances: int, seconds: float) -> Iterator[tuple[str, list[Path]]]:
    """A corpus of each kind of file."""
    for kind in ("FLAC", "WAV", "SPHERE"):
        (folder / kind).mkdir()
        yield kind, write(folder / kind / "files", kind, utterances, seconds)


def loading_rows(folder: Path, repetitions: int) -> Iterator[dict[str, str]]:
    """Reading a batch, and padding it."""
    seconds = (FRAMES - 1) * 0.01 + 0.025
    files = write(folder / "loading", "WAV", BATCH * BATCHES + 2, seconds)
    data = Sounds(files, str(folder / "loading-cache"), 1)
    with redirect_stderr(StringIO()):
        data.prepare_data()
    data.setup("fit")
    split = data.splits["train"]
    generator = np.random.default_rng(0)

    def read() -> list[SpeechExample]:
        return [split[index] for index in generator.permutation(len(split))[:BATCH].tolist()]

    examples = read()
    times = median_milliseconds({"read": read, "pad": lambda: collate(examples)}, repetitions)
    yield {"": "reading, differences, normalisation", "ms": significant(times["read"])}
    yield {"": "padding to one tensor", "ms": significant(times["pad"])}
    yield {"": "together", "ms": significant(times["read"] + times["pad"])}


def sound_files(text: str) -> list[Path]:
    """The files in a folder and those below it that hold sound.

    Raises:
        ArgumentTypeError: there are fewer than three.
    """
    found = []
    for path in sorted(Path(text).rglob("*")):
        try:
            if path.is_file() and audio_info(path).sample_rate >= RATE:
                found.append(path)
        except UserError:
            continue
    if len(found) < 3:
        raise ArgumentTypeError(f"{text}: holds {len(found)} sound files of {RATE} Hz, not 3")
    return found


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_numbers("--processes", tuple(sorted({1, cores()})), "that read at the same time")
    options.whole_number("--utterances", UTTERANCES, "of a made corpus")
    options.whole_number("--seconds", SECONDS, "of each of them")
    options.add_argument("--folder", type=sound_files, help="sound files to take instead")
    given = options.parse_args(arguments)
    if given.utterances < 3:
        options.error("--utterances: three splits need three")
    compute_as_runs_do()
    with TemporaryDirectory() as place:
        folder = Path(place)
        corpora = (
            made(folder, given.utterances, given.seconds)
            if given.folder is None
            else iter([("folder", given.folder)])
        )
        print_table(
            "Preparing recordings: hours of audio a minute",
            preparation_rows(corpora, given.processes, given.repetitions, folder),
        )
        print_table(
            f"Loading {BATCH} utterances of {FRAMES} frames: milliseconds a batch",
            loading_rows(folder, BATCHES * given.repetitions),
        )


if __name__ == "__main__":
    main()
