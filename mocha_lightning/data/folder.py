"""Speech from a folder of sound files with a table of transcripts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

from mocha_lightning.data import listing
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.recorded import UNKNOWN_SPEAKER, RecordedSpeech
from mocha_lightning.data.recording import Recording
from mocha_lightning.data.unusable import Limits
from mocha_lightning.errors import UserError

NEEDED = ("file_name", "text")


class AudioFolder(RecordedSpeech):
    """A folder of sound files and ``metadata.csv`` with the columns ``file_name`` and ``text``.

    The columns ``speaker`` and ``split`` (train, validation or test) may be there, too. This is the
    layout that the Hugging Face hub calls an audio folder. A file's name starts from the folder of
    the table that lists it.

    Args:
        folder: the folder.
        metadata: the table of all splits in that folder, with a column split; null where each
            split has its own table.
        train: the table of the training split, in that folder (``train/metadata.csv``).
        validation: the table of the validation split.
        test: the table of the test split.
        characters: what transcripts may hold, the space included.
        lower_case: whether transcripts are made lower-case.
        min_seconds: shorter utterances are left out, and counted.
        max_seconds: longer utterances are left out, and counted; null for no limit.
        on_unusable: whether an utterance that cannot be used for another reason stops the
            preparation ("stop") or is left out and counted ("drop").
        sample_rate: in Hz; recordings of a higher rate are brought down to it.
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

    name = "audio-folder"
    speech = "recordings of a folder"
    places: ClassVar[tuple[str, ...]] = (*RecordedSpeech.places, "folder")

    def __init__(
        self,
        folder: str,
        metadata: str | None = "metadata.csv",
        train: str | None = None,
        validation: str | None = None,
        test: str | None = None,
        characters: str = listing.CHARACTERS,
        lower_case: bool = True,
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
            listing.absolute(Path(folder)),
            Limits(min_seconds, max_seconds, on_unusable),
            listing.vocabulary(characters),
            LogMel(sample_rate, mel_bins, deltas),
            cache_dir,
            batch_size,
            eval_batch_size,
            batch_frames,
        )
        self.files = listing.SplitFiles("metadata", metadata, train, validation, test)
        self.lower_case = lower_case

    def settings(self) -> dict[str, Any]:
        """What decides the corpus beside its files."""
        return {**super().settings(), "lower_case": self.lower_case}

    def recordings(self) -> Iterator[Recording]:
        """The lines of the tables; an utterance's id is its file's name within the folder.

        Raises:
            UserError: the folder, a table, a column or a value is missing or wrong.
        """
        if not self.root.is_dir():
            raise listing.no_folder(self.root)
        for path, split in self.files.paths(self.root):
            entry = None
            for entry in listing.table(path, NEEDED if split else (*NEEDED, "split")):
                audio = entry.path("file_name")
                inside = audio.is_relative_to(self.root)
                yield Recording(
                    id=(audio.relative_to(self.root) if inside else audio).as_posix(),
                    split=entry.split(split),
                    text=listing.transcript(entry.text("text"), self.lower_case),
                    speaker=entry.text("speaker") or UNKNOWN_SPEAKER,
                    audio=audio,
                    listed=entry.place,
                )
            if entry is None:
                raise UserError(f"{path}: has no line below its first: add a line a recording")
