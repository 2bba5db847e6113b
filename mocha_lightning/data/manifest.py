"""Speech that a manifest of JSON lines lists, as NVIDIA NeMo writes it."""

from pathlib import Path
from typing import Any, ClassVar, Literal

from mocha_lightning.data import listing
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.recorded import UNKNOWN_SPEAKER, RecordedSpeech
from mocha_lightning.data.recording import Recording
from mocha_lightning.data.unusable import Limits


class NemoManifest(RecordedSpeech):
    """Utterances listed as ``{"audio_filepath": ..., "text": ..., "duration": ...}``, one a line.

    ``offset`` and ``duration`` (seconds) are a part of the file; ``speaker`` may be there, and
    ``split`` (train, validation or test) where one manifest lists all. A relative path starts from
    the manifest's folder. A manifest whose name ends in .gz is unpacked.

    Args:
        manifest: the manifest of all splits; null where each split has its own.
        train: the manifest of the training split.
        validation: the manifest of the validation split.
        test: the manifest of the test split.
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

    name = "nemo-manifest"
    speech = "recordings of a manifest"
    places: ClassVar[tuple[str, ...]] = (
        *(*RecordedSpeech.places, "manifest"),
        *("train", "validation", "test"),
    )

    def __init__(
        self,
        manifest: str | None = None,
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
            Path(),
            Limits(min_seconds, max_seconds, on_unusable),
            listing.vocabulary(characters),
            LogMel(sample_rate, mel_bins, deltas),
            cache_dir,
            batch_size,
            eval_batch_size,
            batch_frames,
        )
        self.files = listing.SplitFiles("manifest", manifest, train, validation, test)
        self.lower_case = lower_case

    def settings(self) -> dict[str, Any]:
        """What decides the corpus beside its files."""
        return {**super().settings(), "lower_case": self.lower_case}

    def recordings(self) -> list[Recording]:
        """The manifests' lines; an id is a file's name, with the offset where there is one.

        Names start from the folder that all the sound files have in common, so that they stay when
        the corpus is moved.

        Raises:
            UserError: a manifest cannot be read, or a line lacks what it must have.
        """
        entries = [
            (entry, entry.path("audio_filepath"), split)
            for path, split in self.files.paths()
            for entry in listing.json_entries(path)
        ]
        self.root = listing.common_folder(audio for _, audio, _ in entries)
        return [self._recording(*each) for each in entries]

    def _recording(self, entry: listing.Entry, audio: Path, split: str | None) -> Recording:
        start = entry.seconds("offset") or 0.0
        name = audio.relative_to(self.root).as_posix()
        return Recording(
            id=f"{name}@{start}" if start else name,
            split=entry.split(split),
            text=listing.transcript(entry.text("text"), self.lower_case),
            speaker=entry.text("speaker") or UNKNOWN_SPEAKER,
            audio=audio,
            start=start,
            seconds=entry.seconds("duration"),
            listed=entry.place,
        )
