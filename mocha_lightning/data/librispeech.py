"""LibriSpeech, from the folders that its archives unpack to."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

from mocha_lightning.data import listing
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.recorded import RecordedSpeech
from mocha_lightning.data.recording import Recording
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.unusable import Limits
from mocha_lightning.errors import UserError

SUFFIX = ".trans.txt"


class LibriSpeech(RecordedSpeech):
    """Read books (https://www.openslr.org/12, CC BY 4.0), in lower-case letters.

    Files are named ``subset/speaker/chapter/speaker-chapter-number.flac``, with the transcripts of
    a chapter beside them.

    Args:
        folder: the folder with the subsets, or the one that holds it (named LibriSpeech).
        train: the subsets to train on.
        validation: the subsets to validate on.
        test: the subsets to test on.
        min_seconds: shorter utterances are left out, and counted.
        max_seconds: longer utterances are left out, and counted; null for no limit.
        on_unusable: whether an utterance that cannot be used for another reason stops the
            preparation ("stop") or is left out and counted ("drop").
        sample_rate: in Hz; the recordings have 16000.
        mel_bins: log-mel filters.
        deltas: whether differences in time are added as channels.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: utterances of a training batch.
        batch_frames: the most frames of a batch, its padding counted, whatever the sizes say; null
            for no such limit.
        eval_batch_size: utterances of a validation or test batch.

    Raises:
        UserError: a setting is out of range.
    """

    name = "librispeech"
    speech = "human (LibriSpeech, read books)"
    places: ClassVar[tuple[str, ...]] = (*RecordedSpeech.places, "folder")

    def __init__(
        self,
        folder: str,
        train: tuple[str, ...] = ("train-clean-100",),
        validation: tuple[str, ...] = ("dev-clean",),
        test: tuple[str, ...] = ("test-clean",),
        min_seconds: float = 0.1,
        max_seconds: float | None = 40.0,
        on_unusable: Literal["stop", "drop"] = "stop",
        sample_rate: int = 16000,
        mel_bins: int = 80,
        deltas: bool = True,
        cache_dir: str = "cache",
        batch_size: int = 8,
        batch_frames: int | None = None,
        eval_batch_size: int = 64,
    ) -> None:
        inner = Path(folder) / "LibriSpeech"
        super().__init__(
            inner if inner.is_dir() else Path(folder),
            Limits(min_seconds, max_seconds, on_unusable),
            listing.vocabulary(listing.CHARACTERS),
            LogMel(sample_rate, mel_bins, deltas),
            cache_dir,
            batch_size,
            eval_batch_size,
            batch_frames,
        )
        self.subsets = dict(zip(SPLITS, (train, validation, test), strict=True))

    def settings(self) -> dict[str, Any]:
        """What decides the corpus beside its files."""
        return {**super().settings(), "subsets": {key: [*own] for key, own in self.subsets.items()}}

    def recordings(self) -> Iterator[Recording]:
        """Transcribed utterances, and sound files without transcript, by name.

        Raises:
            UserError: a folder is missing, or a line is not ``id TEXT``.
        """
        for split, subsets in self.subsets.items():
            for subset in subsets:
                folder = self.root / subset
                if not folder.is_dir():
                    there = sorted(item.name for item in self.root.glob("*") if item.is_dir())
                    raise UserError(
                        f"{folder.resolve()}: no such folder: correct data.folder or data.{split}; "
                        f"there are: {', '.join(there) or 'none'} ({listing.RELATIVE})"
                    )
                for chapter in sorted(folder.glob("*/*/")):
                    yield from _chapter(chapter, split)


def _chapter(folder: Path, split: str) -> Iterator[Recording]:
    texts: dict[str, tuple[str, str]] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        for number, line in listing.lines(path):
            name, _, text = line.strip().partition(" ")
            place = f"{path}, line {number}"
            if name in texts:
                raise UserError(f"{place}: {name} is there twice: remove one line")
            if name.count("-") != 2:
                raise UserError(
                    f"{place}: begins with {name!r} and not with speaker-chapter-number: correct "
                    "the line"
                )
            texts[name] = (text, place)
    for name in sorted({*texts, *(path.stem for path in folder.glob("*.flac"))}):
        said, place = texts.get(name, (None, ""))
        yield Recording(
            id=name,
            split=split,
            text=listing.transcript(said, lower_case=True),
            speaker=name.partition("-")[0],
            audio=folder / f"{name}.flac",
            listed=place,
        )
