"""LibriSpeech through the library ``datasets``: from the Hugging Face hub or a mirror of it."""

import glob
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from mocha_lightning.data import listing
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.hub_rows import check_columns, plain_errors
from mocha_lightning.data.recorded import RECIPE, UNKNOWN_SPEAKER, RecordedSpeech, unique
from mocha_lightning.data.recording import Candidate, Recording
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.unusable import Dropped, Limits
from mocha_lightning.errors import UserError

NEEDED = ("audio", "text", "id")
REMEDY = (
    "name a folder with the data set's parquet files as data.source, or take "
    "mocha_lightning.data.LibriSpeech with the unpacked archives"
)
SHOWN = 300
"""Characters of what the library says."""


class LibriSpeechHub(RecordedSpeech):
    """Read books (https://huggingface.co/datasets/openslr/librispeech_asr, CC BY 4.0).

    Only the files that are named are fetched: asked for a split, ``datasets`` would fetch all of a
    configuration (30 GB). Any data set with the columns audio, text, id and (if known) speaker_id
    can be read so. The corpus is told from others by where it comes from: of a local folder the
    files' names and sizes count, of the hub its name, revision and patterns.

    Args:
        source: a data set on the hub, or a folder with the same files.
        train: patterns of the training split's parquet files.
        validation: patterns of the validation split's.
        test: patterns of the test split's.
        revision: branch, tag or commit on the hub.
        streaming: whether audio is read over the network and not kept; false to fetch the files
            into the hub's cache, from where they can be read again without network.
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

    name = "librispeech-hub"
    speech = "human (LibriSpeech, read books)"
    places: ClassVar[tuple[str, ...]] = (*RecordedSpeech.places, "source", "streaming")

    def __init__(
        self,
        source: str = "openslr/librispeech_asr",
        train: tuple[str, ...] = ("clean/train.100/*.parquet",),
        validation: tuple[str, ...] = ("clean/validation/*.parquet",),
        test: tuple[str, ...] = ("clean/test/*.parquet",),
        revision: str = "main",
        streaming: bool = True,
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
        super().__init__(
            Path(source),
            Limits(min_seconds, max_seconds, on_unusable),
            listing.vocabulary(listing.CHARACTERS),
            LogMel(sample_rate, mel_bins, deltas),
            cache_dir,
            batch_size,
            eval_batch_size,
            batch_frames,
        )
        self.source = source
        self.files = dict(zip(SPLITS, (train, validation, test), strict=True))
        self.revision = revision
        self.streaming = streaming

    @property
    def packages(self) -> tuple[str, ...]:
        """What reads the rows, too."""
        return (*super().packages, "datasets", "pyarrow")

    def identity(self) -> dict[str, Any]:
        """Settings, and where the rows come from."""
        patterns = {split: [*own] for split, own in self.files.items()}
        origin: dict[str, Any] = {"source": self.source, "revision": self.revision}
        if self.root.is_dir():
            origin = {
                split: [[path.relative_to(self.root).as_posix(), path.stat().st_size]
                        for path in self._local(split)]
                for split in SPLITS
            }  # fmt: skip
        return {"recipe": RECIPE, **self.settings(), "patterns": patterns, "origin": origin}

    def candidates(self, dropped: list[Dropped]) -> Iterator[Candidate]:
        """Every row whose transcript can be written.

        The rows are gone through once, and what is wrong is told at their end: to look at them
        first would be to fetch them twice.
        """
        for recording in self.sayable(unique(self.recordings()), dropped):
            yield Candidate(recording, None)

    def recordings(self) -> Iterator[Recording]:
        """The rows of all splits, as they come.

        Raises:
            UserError: the source cannot be reached or read, or lacks a column.
        """
        for split in SPLITS:
            for number, row in enumerate(self._rows(split), 1):
                place = f"{self.source}, {split}, row {number}"
                entry = listing.Entry(dict(row), place, self.root)
                yield Recording(
                    id=entry.text("id") or place,
                    split=split,
                    text=listing.transcript(entry.text("text"), lower_case=True),
                    speaker=str(row.get("speaker_id", UNKNOWN_SPEAKER)),
                    audio=self._audio(entry),
                    listed=place,
                )

    def _audio(self, entry: listing.Entry) -> Path | bytes:
        """The content of a row's sound file, or its path where only that is in the row."""
        audio = entry.values["audio"]
        content, path = audio.get("bytes"), audio.get("path")
        if isinstance(content, bytes):
            return content
        if not path:
            raise entry.error("its audio has neither bytes nor a path: choose another source")
        return self.root / str(path)

    def _local(self, split: str) -> list[Path]:
        found = sorted(
            {
                path
                for pattern in self.files[split]
                for path in self.root.glob(pattern)
                if path.is_file()
            }
        )
        if not found:
            raise UserError(
                f"{self.root.resolve()}: no file fits data.{split} "
                f"({', '.join(self.files[split])}): correct it or data.source"
            )
        return found

    def _rows(self, split: str) -> Iterable[Mapping[str, Any]]:
        """The rows of a split, their audio not decoded: that would need torchcodec and FFmpeg."""
        # Seconds to import, and needed only to build.
        import datasets

        place = f"{self.source}, {split}"
        arguments: dict[str, Any] = {"path": self.source, "revision": self.revision}
        patterns = list(self.files[split])
        if self.root.is_dir():
            arguments = {"path": "parquet"}
            # Names found already are no patterns.
            patterns = [glob.escape(str(path.absolute())) for path in self._local(split)]
        with plain_errors(place, REMEDY, SHOWN):
            rows = datasets.load_dataset(
                **arguments,
                data_files={split: patterns},
                split=split,
                streaming=self.streaming,
                # The card counts all splits of its configuration, and this is one.
                verification_mode="no_checks",
            )
            check_columns(place, NEEDED, rows.column_names)
            yield from rows.cast_column("audio", datasets.Audio(decode=False))
