"""Speech that Lhotse's cuts list. Lhotse itself is not needed: a cut is one line of JSON."""

from pathlib import Path
from typing import Any, ClassVar, Literal

from mocha_lightning.data import listing
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.recorded import UNKNOWN_SPEAKER, RecordedSpeech
from mocha_lightning.data.recording import Recording
from mocha_lightning.data.unusable import Limits

KINDS = ("MonoCut", "MultiCut")
"""Cuts that are a part of one recording."""


class LhotseCuts(RecordedSpeech):
    """Lhotse's cuts (``cuts.jsonl`` or ``cuts.jsonl.gz``), each with one supervision.

    The audio is the cut's; text and speaker are the supervision's. A recording must be in files
    (``lhotse``: ``cuts.save_audios(...)``), and a cut with several supervisions be cut to them
    (``cuts.trim_to_supervisions()``). A relative path starts from the folder of the cuts.

    Args:
        train: the cuts of the training split.
        validation: the cuts of the validation split.
        test: the cuts of the test split.
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

    name = "lhotse-cuts"
    speech = "recordings of Lhotse cuts"
    places: ClassVar[tuple[str, ...]] = (*RecordedSpeech.places, "train", "validation", "test")

    def __init__(
        self,
        train: str,
        validation: str,
        test: str,
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
        self.files = {"train": Path(train), "validation": Path(validation), "test": Path(test)}
        self.lower_case = lower_case

    def settings(self) -> dict[str, Any]:
        """What decides the corpus beside its files."""
        return {**super().settings(), "lower_case": self.lower_case}

    def recordings(self) -> list[Recording]:
        """The cuts; an utterance's id is its cut's.

        Raises:
            UserError: a list cannot be read, or a cut is none that can be used here.
        """
        cuts = [
            (entry, *_source(entry), split)
            for split, path in self.files.items()
            for entry in listing.json_entries(path)
        ]
        self.root = listing.common_folder(audio for _, audio, _, _ in cuts)
        return [self._recording(*cut) for cut in cuts]

    def _recording(
        self, cut: listing.Entry, audio: Path, channel: int | None, split: str
    ) -> Recording:
        identity = cut.text("id")
        if not identity:
            raise cut.error("the cut has no id: give it one")
        supervision = _only(cut, "supervisions", "cuts.trim_to_supervisions()")
        return Recording(
            id=identity,
            split=split,
            text=listing.transcript(supervision.text("text"), self.lower_case),
            speaker=supervision.text("speaker") or UNKNOWN_SPEAKER,
            audio=audio,
            start=cut.seconds("start") or 0.0,
            seconds=cut.seconds("duration"),
            channel=channel,
            listed=cut.place,
        )


def _source(cut: listing.Entry) -> tuple[Path, int | None]:
    """The file a cut is in, and its channel there; None for the mean of the file's channels."""
    kind = cut.values.get("type", "MonoCut")
    if kind not in KINDS:
        raise cut.error(f"a {kind} is no part of one recording: write its audio to a file first")
    recording = _inner(cut, cut.values.get("recording"), "recording")
    if recording.values.get("transforms"):
        raise cut.error("its recording is transformed when it is read: write the audio to a file")
    sources = recording.values.get("sources")
    if not isinstance(sources, list) or not sources:
        raise cut.error("its recording has no sources: list a file there")
    wanted = cut.values.get("channel", 0)
    channels = wanted if isinstance(wanted, list) else [wanted]
    for value in sources:
        source = _inner(cut, value, "source")
        own = source.values.get("channels")
        if isinstance(own, list) and all(channel in own for channel in channels):
            if source.values.get("type") != "file":
                raise cut.error(
                    f"its audio is of type {source.values.get('type')!r} and not in a file: write "
                    "it to one (in lhotse: cuts.save_audios)"
                )
            if isinstance(wanted, list) and sorted(wanted) != sorted(own):
                raise cut.error("it is of some channels of its file: choose one, or all")
            # A file of one channel is read whole, whatever the recording calls that channel.
            one = len(own) > 1 and not isinstance(wanted, list)
            return source.path("source"), own.index(wanted) if one else None
    raise cut.error(f"no source of its recording has channel {wanted}: correct the cut")


def _only(cut: listing.Entry, name: str, remedy: str) -> listing.Entry:
    values = cut.values.get(name)
    if not isinstance(values, list) or len(values) != 1:
        count = len(values) if isinstance(values, list) else "no"
        raise cut.error(f"the cut has {count} {name} and must have one (in lhotse: {remedy})")
    return _inner(cut, values[0], name)


def _inner(cut: listing.Entry, value: Any, name: str) -> listing.Entry:
    if not isinstance(value, dict):
        raise cut.error(f"its {name} is {value!r} and no JSON object: correct the cut")
    return listing.Entry(value, cut.place, cut.folder)
