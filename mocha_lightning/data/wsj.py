"""The Wall Street Journal corpus, as the paper uses it."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from mocha_lightning.data.features import LogMel
from mocha_lightning.data.left_out import SHOWN
from mocha_lightning.data.recorded import RecordedSpeech
from mocha_lightning.data.recording import Candidate, Recording
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.unusable import Dropped, Limits, Reason
from mocha_lightning.data.wsj_disks import Listed, WsjDisks
from mocha_lightning.data.wsj_text import VOCABULARY, normalised
from mocha_lightning.errors import UserError


class Index(NamedTuple):
    """A list of utterances: the split it belongs to, its disk and its path there."""

    split: str
    disk: str
    name: str


INDICES = (
    Index("train", "13_34_1", "wsj1/doc/indices/si_tr_s.ndx"),
    Index("train", "11_13_1", "wsj0/doc/indices/train/tr_s_wv1.ndx"),
    Index("validation", "13_34_1", "wsj1/doc/indices/h1_p0.ndx"),
    Index("test", "11_13_1", "wsj0/doc/indices/test/nvp/si_et_20.ndx"),
)
"""si284 (the first two), dev93 and eval92, as Kaldi's recipe takes them
(egs/wsj/s5/local/wsj_data_prep.sh)."""
LEFT_OUT = "wsj0/si_tr_s/401/"
"""One of WSJ0's training speakers, whom that recipe leaves out."""
EXPECTED = {"validation": 503, "test": 333}
"""Utterances that recipe counts; of si284 it gives no number."""


class Wsj(RecordedSpeech):
    """Read news (LDC93S6A and LDC94S13A): si284 to train, dev93 to validate, eval92 to test.

    The disks' files are taken as they are: SPHERE (``.wv1``, the close microphone), indices
    (``.ndx``) and detailed transcripts (``.dot``). Disks may be folders called 11-13.1 or 11_13_1,
    or be copied over each other into ``wsj0`` and ``wsj1``; upper case does not matter. Reading
    is a dozen times faster with the extra ``sphere`` installed.

    Args:
        folder: the folder with the disks.
        allow_missing: whether to go on where a disk, an utterance's audio or its transcript is
            missing. What is missing is counted.
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

    name = "wsj"
    speech = "human (Wall Street Journal: si284, dev93, eval92)"
    places: ClassVar[tuple[str, ...]] = (*RecordedSpeech.places, "folder")

    def __init__(
        self,
        folder: str,
        allow_missing: bool = False,
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
            Path(folder),
            Limits(min_seconds, max_seconds, on_unusable),
            VOCABULARY,
            LogMel(sample_rate, mel_bins, deltas),
            cache_dir,
            batch_size,
            eval_batch_size,
            batch_frames,
        )
        self.allow_missing = allow_missing

    def settings(self) -> dict[str, Any]:
        """What decides the corpus beside its files."""
        return {**super().settings(), "allow_missing": self.allow_missing}

    def droppable(self) -> frozenset[Reason]:
        """Also what is missing, where that is allowed."""
        missing = {Reason.NO_AUDIO, Reason.NO_TRANSCRIPT} if self.allow_missing else set()
        return super().droppable() | missing

    def recordings(self) -> list[Recording]:
        """All utterances that the indices list, by name within a split.

        Raises:
            UserError: the folder is not the corpus's; or something is missing and that is not
                allowed.
        """
        disks = WsjDisks(self.root)
        listed: dict[str, dict[str, Listed]] = {split: {} for split in SPLITS}
        missing: list[str] = []
        for index in INDICES:
            path = disks.find(index.disk, index.name)
            if path is None:
                missing.append(f"the index {index.name} of disk {_spelled(index.disk)}")
                continue
            for line in disks.index(path):
                if not line.name.startswith(LEFT_OUT):
                    listed[index.split][Path(line.name).stem] = line
        recordings = [
            self._recording(disks, split, utterance, lines[utterance])
            for split, lines in listed.items()
            for utterance in sorted(lines)
        ]
        missing += _missing(recordings, listed, disks)
        if missing and not self.allow_missing:
            raise UserError(
                f"{self.root.resolve()} is not all of the corpus; missing: {'; '.join(missing)}: "
                "add what is missing, or set data.allow_missing to true to do without"
            )
        return recordings

    def _recording(self, disks: WsjDisks, split: str, utterance: str, line: Listed) -> Recording:
        text = disks.transcript(utterance)
        return Recording(
            id=utterance,
            split=split,
            text=None if text is None else normalised(text),
            speaker=utterance[:3],
            # One that is missing is looked for where the index says.
            audio=disks.find(line.disk, line.name) or self.root / _spelled(line.disk) / line.name,
            listed=line.place,
        )

    def candidates(self, dropped: list[Dropped]) -> list[Candidate] | Iterator[Candidate]:
        """As of every corpus; says first where the lists are not what they should be."""
        counts = Counter(recording.split for recording in self._listed)
        for split, expected in EXPECTED.items():
            if counts[split] != expected:
                print(
                    f"WSJ: {counts[split]} utterances are listed for {split}, not the {expected} "
                    "that others have: results may not compare",
                    file=sys.stderr,
                )
        return super().candidates(dropped)


def _missing(
    recordings: list[Recording], listed: dict[str, dict[str, Listed]], disks: WsjDisks
) -> list[str]:
    """What recordings lack, in words: whole disks, then single files, then transcripts."""
    silent = [
        (item.id, listed[item.split][item.id].disk)
        for item in recordings
        if isinstance(item.audio, Path) and not item.audio.exists()
    ]
    # Where disks were copied over each other, none has a name.
    absent = Counter(disk for _, disk in silent if disks.disks != {""} and disk not in disks.disks)
    words = [f"disk {_spelled(disk)} ({_utterances(count)})" for disk, count in absent.items()]
    words += _some("audio", [name for name, disk in silent if disk not in absent])
    return words + _some("transcript", [item.id for item in recordings if item.text is None])


def _some(what: str, names: list[str]) -> list[str]:
    if not names:
        return []
    rest = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return [f"the {what} of {_utterances(len(names))} ({', '.join(names[:SHOWN])}{rest})"]


def _utterances(count: int) -> str:
    return f"{count} utterance{'' if count == 1 else 's'}"


def _spelled(disk: str) -> str:
    """A disk's name as it is printed on it: 11_13_1 is 11-13.1."""
    first, second, third = disk.split("_")
    return f"{first}-{second}.{third}"
