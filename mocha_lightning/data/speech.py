"""What all speech corpora share: features on disk, batches of them, a description."""

from abc import abstractmethod
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Float16, Int
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from mocha_lightning.data.batching import BatchesByStep, batches_by_length
from mocha_lightning.data.cache import FeatureCache, Utterance
from mocha_lightning.data.features import LogMel
from mocha_lightning.data.frontend import Frontend
from mocha_lightning.data.on_disk import OnDisk
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.vocabulary import Vocabulary
from mocha_lightning.errors import UserError
from mocha_lightning.shares import Share, TrainingShare

FORMAT = 2
"""Raised whenever what is written to disk changes."""
FEATURE_PACKAGES = ("kaldi-native-fbank", "numpy", "soxr")
"""What computes the features; their versions tell prepared corpora apart."""


@dataclass(frozen=True)
class SpeechSpec:
    """What a recogniser must know of a corpus.

    Attributes:
        vocabulary: what transcripts are made of.
        channels: of the features.
        mel_bins: of each channel.
        lookahead: frames after its own that a feature frame depends on.
    """

    vocabulary: Vocabulary
    channels: int
    mel_bins: int
    lookahead: int = 0


class SpeechBatch(NamedTuple):
    """Utterances of one batch, padded with zeros.

    ``tokens`` end with the end mark, which ``token_lengths`` count; ``utterances`` are the ids and
    ``texts`` the reference transcripts. ``seconds`` is how long each utterance's audio is, and
    ``word_ends`` where in it each word ends, in seconds, of corpora that know.
    """

    features: Float[Tensor, "batch frames channels mel"]
    frame_lengths: Int[Tensor, " batch"]
    tokens: Int[Tensor, "batch outputs"]
    token_lengths: Int[Tensor, " batch"]
    utterances: tuple[str, ...]
    texts: tuple[str, ...]
    seconds: tuple[float, ...] = ()
    word_ends: tuple[tuple[float, ...], ...] = ()


class SpeechExample(NamedTuple):
    """One utterance, ready for a batch."""

    features: Float16[Tensor, "frames channels mel"]
    tokens: Int[Tensor, " outputs"]
    utterance: Utterance


class SpeechSplit(Dataset[SpeechExample]):
    """The utterances of one split, read from the cache."""

    def __init__(self, cache: FeatureCache, split: str, vocabulary: Vocabulary) -> None:
        self.cache = cache
        self.rows = [row for row, item in enumerate(cache.utterances) if item.split == split]
        self.utterances = [cache.utterances[row] for row in self.rows]
        self.tokens = [_tokens(item, vocabulary) for item in self.utterances]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> SpeechExample:
        features = self.cache[self.rows[index]]
        return SpeechExample(features, self.tokens[index], self.utterances[index])

    @property
    def lengths(self) -> list[int]:
        """Frames of each utterance."""
        return [item.frames for item in self.utterances]

    def describe(self) -> dict[str, Any]:
        """Its size and its speakers."""
        texts = [item.text for item in self.utterances]
        return {
            "utterances": len(texts),
            "hours": round(sum(item.seconds for item in self.utterances) / 3600, 3),
            "words": sum(len(text.split()) for text in texts),
            "distinct_strings": len(set(texts)),
            "speakers": sorted({item.speaker for item in self.utterances}),
        }


def collate(examples: list[SpeechExample]) -> SpeechBatch:
    """Examples as one padded batch."""
    frames = [len(example.features) for example in examples]
    outputs = [len(example.tokens) for example in examples]
    features = torch.zeros(len(examples), max(frames), *examples[0].features.shape[1:])
    tokens = torch.full((len(examples), max(outputs)), Vocabulary.PAD)
    for row, example in enumerate(examples):
        features[row, : frames[row]] = example.features
        tokens[row, : outputs[row]] = example.tokens
    utterances = [example.utterance for example in examples]
    known = all("word_ends" in item.details for item in utterances)
    return SpeechBatch(
        features,
        torch.tensor(frames),
        tokens,
        torch.tensor(outputs),
        tuple(item.id for item in utterances),
        tuple(item.text for item in utterances),
        tuple(item.seconds for item in utterances),
        tuple(tuple(item.details["word_ends"]) for item in utterances) if known else (),
    )


class SpeechData(OnDisk):
    """A speech corpus: audio is turned into features once, and read from disk by every run.

    Args:
        features: the features to extract.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: utterances of a training batch; with ``batch_frames`` the most of them.
        eval_batch_size: utterances of a validation or test batch, likewise.
        batch_frames: the most frames of a batch, its padding counted; None for no such limit.
    """

    def __init__(
        self,
        features: LogMel,
        cache_dir: str,
        batch_size: int,
        eval_batch_size: int,
        batch_frames: int | None = None,
    ) -> None:
        super().__init__(cache_dir)
        for name, value in (
            ("batch_size", batch_size),
            ("eval_batch_size", eval_batch_size),
            ("batch_frames", batch_frames),
        ):
            if value is not None and value < 1:
                raise UserError(f"data.{name} is {value}: it must be at least 1")
        self.features = features
        self.batch_size = batch_size
        self.eval_batch_size = eval_batch_size
        self.batch_frames = batch_frames
        self.vocabulary = Vocabulary()
        self._cache: FeatureCache | None = None
        self._batches_checked = False

    @property
    def packages(self) -> tuple[str, ...]:
        """What computes the features."""
        return FEATURE_PACKAGES

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Everything that decides the audio, as JSON: settings, versions, hashes of sources."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What a report must say of this corpus beside its size."""

    def open(self) -> None:
        """Open the cache and check its SHA-256.

        Raises:
            UserError: it is damaged, or a transcript has a character outside the vocabulary.
        """
        if self._cache is None:
            self.check_there()
            self._cache = FeatureCache(self.folder, self.features)
            self.splits = {
                split: SpeechSplit(self._cache, split, self.vocabulary) for split in SPLITS
            }

    def setup(self, stage: str | None = None) -> None:
        """Open the cache, as :meth:`open` does, and check that batches can be made of it.

        Raises:
            UserError: as :meth:`open`; the training split does not fill a batch, or an utterance
                is longer than a batch.
        """
        self.open()
        if not self._batches_checked:
            # Made for their checks alone, so that no run has to begin to find what is wrong.
            for split in self.splits.values():
                self._check_frames(split)
            self._training_batches(0)
            self._batches_checked = True

    @property
    def sha256(self) -> str:
        """SHA-256 of features, statistics and transcripts; needs ``setup``."""
        return self._opened().sha256

    @property
    def spec(self) -> SpeechSpec:
        """What a recogniser must know of this corpus."""
        features = self.features
        return SpeechSpec(self.vocabulary, features.channels, features.mel_bins, features.lookahead)

    @property
    def frontend(self) -> Frontend:
        """What recognition needs of this corpus beside a model's weights; needs ``setup``."""
        cache = self._opened()
        return Frontend(self.features, cache.normalization, self.vocabulary, cache.sha256)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps of the corpus, so that it is of use without it."""
        return self.frontend.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Check that a checkpoint is gone on from with the corpus that it was begun with.

        Raises:
            UserError: it is another.
        """
        then, now = Frontend.of_state_dict(state_dict), self.frontend
        for what, before, here in (
            ("vocabulary", str(then.vocabulary), str(now.vocabulary)),
            ("data SHA-256", then.sha256, now.sha256),
        ):
            if before != here:
                raise UserError(
                    f"the checkpoint is of another corpus: its {what} is {before}, and here it is "
                    f"{here}: bring that corpus back or begin the run anew"
                )

    def check_shares(self, share: Share) -> None:
        """All parts of a batch have as many utterances.

        Raises:
            UserError: they would not, or there is no saying how many a batch has.
        """
        if self.batch_frames is not None:
            raise UserError(
                f"data.batch_frames is {self.batch_frames}: such batches have any number of "
                f"utterances, and cannot be shared by {share}: leave it out"
            )
        share.check_divides(self.batch_size)

    def describe(self) -> dict[str, Any]:
        """Facts for reports; needs ``setup``."""
        self._opened()
        return {
            **self.facts(),
            "features": asdict(self.features),
            "splits": {name: split.describe() for name, split in self.splits.items()},
        }

    def train_dataloader(self) -> DataLoader[SpeechExample]:
        """Batches without end, from the trainer's step on."""
        start = self.trainer.global_step if self.trainer is not None else 0
        batches = TrainingShare(self._training_batches(start), self.share)
        return self._loader(self.splits["train"], batches)

    def val_dataloader(self) -> DataLoader[SpeechExample]:
        """The validation split, every utterance once."""
        return self._evaluation_loader("validation")

    def test_dataloader(self) -> DataLoader[SpeechExample]:
        """The test split, every utterance once."""
        return self._evaluation_loader("test")

    def showcase(self) -> SpeechBatch:
        """The validation utterance of middle length, as a batch of its own; needs ``setup``."""
        self._opened()
        split = self.splits["validation"]
        order = sorted(range(len(split)), key=lambda row: split.lengths[row])
        return collate([split[order[len(order) // 2]]])

    def _evaluation_loader(self, name: str) -> DataLoader[SpeechExample]:
        split = self.splits[name]
        batches = batches_by_length(split.lengths, self.eval_batch_size, self.batch_frames)
        return self._loader(split, self.share.of_evaluation(batches))

    def _training_batches(self, start: int) -> BatchesByStep:
        lengths = self.splits["train"].lengths
        return BatchesByStep(lengths, self.batch_size, self.seed, start, self.batch_frames)

    def _check_frames(self, split: SpeechSplit) -> None:
        longest = max(split.utterances, key=lambda item: item.frames, default=None)
        if longest and self.batch_frames is not None and longest.frames > self.batch_frames:
            raise UserError(
                f"data.batch_frames is {self.batch_frames} and utterance {longest.id} has "
                f"{longest.frames} frames ({longest.seconds:.1f} s): raise it, or leave out what "
                "is so long (data.max_seconds, where the corpus has that setting)"
            )

    def _loader(self, split: SpeechSplit, batches: Any) -> DataLoader[SpeechExample]:
        return DataLoader(split, batch_sampler=batches, collate_fn=collate)

    def _opened(self) -> FeatureCache:
        if self._cache is None:
            raise RuntimeError("call prepare_data() and setup() first")
        return self._cache

    def full_identity(self) -> dict[str, Any]:
        """Everything that decides the prepared corpus."""
        return {
            "name": self.name,
            "format": FORMAT,
            "features": asdict(self.features),
            **self.identity(),
            "versions": {library: version(library) for library in FEATURE_PACKAGES},
        }


def _tokens(utterance: Utterance, vocabulary: Vocabulary) -> Int[Tensor, " outputs"]:
    try:
        return torch.tensor([*vocabulary.encode(utterance.text), Vocabulary.EOS])
    except UserError as error:
        raise UserError(f"utterance {utterance.id}: {error}") from None
