"""What all corpora of documents share: words on disk, batches of them, a description."""

from abc import abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from torch.utils.data import DataLoader

from mocha_lightning.data.batching import BatchesByStep, batches_by_length
from mocha_lightning.data.document_batches import (
    Cut,
    DocumentBatch,
    DocumentSpec,
    DocumentSplit,
    NumberedExample,
    collate,
)
from mocha_lightning.data.document_frontend import DocumentFrontend
from mocha_lightning.data.document_preparing import left_out_of, prepare_documents
from mocha_lightning.data.document_store import DocumentStore
from mocha_lightning.data.document_texts import Reading, Text
from mocha_lightning.data.on_disk import OnDisk
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.word_vocabulary import WordVocabulary
from mocha_lightning.errors import UserError
from mocha_lightning.shares import Share, TrainingShare

FORMAT = 1
"""Raised whenever what is written to disk changes."""

MOST = 2**31 - 1
"""Of words or documents: more than any corpus has."""


class Documents(OnDisk):
    """Documents with summaries: cut into words once, read from disk by every run.

    What is on disk does not depend on the size of the vocabulary or on how much of a text is used.

    Args:
        reading: how texts become words, and which are used.
        cut: how much of each is used.
        vocabulary_size: the most frequent words of the training split, documents and summaries
            together, that have numbers of their own.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: documents of a training batch.
        eval_batch_size: documents of a validation or test batch.

    Raises:
        UserError: a number is out of range.
    """

    kind: ClassVar[str]
    """What the documents are, and where from, for reports."""

    def __init__(
        self,
        reading: Reading,
        cut: Cut,
        vocabulary_size: int,
        cache_dir: str,
        batch_size: int,
        eval_batch_size: int,
    ) -> None:
        super().__init__(cache_dir)
        for name, value in (
            ("source_words", cut.source_words),
            ("target_words", cut.target_words),
            ("lead_sentences", cut.lead_sentences),
            ("vocabulary_size", vocabulary_size),
            ("batch_size", batch_size),
            ("eval_batch_size", eval_batch_size),
        ):
            if not 1 <= value <= MOST:
                raise UserError(f"data.{name} is {value}: it must be from 1 to {MOST:,}")
        self.reading = reading
        self.cut = cut
        self.vocabulary_size = vocabulary_size
        self.batch_size = batch_size
        self.eval_batch_size = eval_batch_size
        self._store: DocumentStore | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        """What cuts texts into words."""
        return self.reading.tokenizer.packages

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Everything that decides the texts, as JSON: settings, versions, hashes of sources."""

    @abstractmethod
    def texts(self) -> Iterable[Text]:
        """All documents of all splits, in a fixed order."""

    def facts(self) -> dict[str, Any]:
        """What a report must say of this corpus beside its size."""
        return {}

    def known_words(self, store: DocumentStore) -> tuple[str, ...]:
        """The words that have numbers of their own."""
        return store.vocabulary(self.vocabulary_size)

    def setup(self, stage: str | None = None) -> None:
        """Open the prepared corpus and check its SHA-256.

        Raises:
            UserError: it is not there or damaged, or the training split does not fill a batch.
        """
        if self._store is not None:
            return
        self.check_there()
        store = DocumentStore(self.folder)
        vocabulary = WordVocabulary(self.known_words(store))
        self._spec = DocumentSpec(vocabulary)
        self.splits = {split: DocumentSplit(store, split, vocabulary, self.cut) for split in SPLITS}
        count = len(self.splits["train"])
        if count < self.batch_size:
            raise UserError(
                f"data.batch_size is {self.batch_size} and the training split has {count} "
                "documents: lower it"
            )
        self._store = store

    @property
    def sha256(self) -> str:
        """SHA-256 of words and counts; needs ``setup``."""
        return self._opened().sha256

    @property
    def spec(self) -> DocumentSpec:
        """What a summariser must know of this corpus."""
        if self._store is None:
            if self.presumption:
                return self.full_spec
            self.setup()
        return self._spec

    @property
    def presumption(self) -> str:
        """That the corpus has as many words as are asked for."""
        try:
            known = self._store is not None or self.prepared
        except UserError:
            known = False  # not even what it would be prepared from is there
        if known:
            return ""
        return (
            f"a vocabulary of {self.vocabulary_size:,} words (data.vocabulary_size) is presumed, "
            "since it is made of the prepared data"
        )

    @property
    def full_spec(self) -> DocumentSpec:
        """The same without any data: as many words as can have numbers, and nobody knows which."""
        return DocumentSpec(WordVocabulary(tuple(map(str, range(self.vocabulary_size)))))

    @property
    def frontend(self) -> DocumentFrontend:
        """What a summariser needs of this corpus beside its weights; needs ``setup``."""
        tokenizer = self.reading.tokenizer
        return DocumentFrontend(
            type(tokenizer).__name__,
            tokenizer.name,
            self.cut.source_words,
            self.spec.vocabulary,
            self.sha256,
        )

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps of the corpus, so that it is of use without it."""
        return self.frontend.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Check that a checkpoint is gone on from with the corpus that it was begun with.

        Raises:
            UserError: it is another.
        """
        DocumentFrontend.of_state_dict(state_dict).check_same(self.frontend)

    def check_shares(self, share: Share) -> None:
        """All parts of a batch have as many documents.

        Raises:
            UserError: they would not.
        """
        share.check_divides(self.batch_size)

    def describe(self) -> dict[str, Any]:
        """Facts for reports; needs ``setup``."""
        known = self._known_shares()
        splits = {
            name: {**split.describe(), "share_of_words_known": known[name]}
            for name, split in self.splits.items()
        }
        return {
            "documents": self.kind,
            **self.facts(),
            "tokenizer": self.reading.tokenizer.name,
            "vocabulary": len(self.spec.vocabulary.words),
            "source_words": self.cut.source_words,
            "target_words": self.cut.target_words,
            "lead_sentences": self.cut.lead_sentences,
            "splits": splits,
            "dropped": left_out_of(self.folder),
        }

    def train_dataloader(self) -> DataLoader[NumberedExample]:
        """Batches without end, from the trainer's step on."""
        split = self.splits["train"]
        start = self.trainer.global_step if self.trainer is not None else 0
        batches = BatchesByStep(split.lengths.tolist(), self.batch_size, self.seed, start)
        return self._loader(split, TrainingShare(batches, self.share))

    def val_dataloader(self) -> DataLoader[NumberedExample]:
        """The validation split, every document once."""
        return self._evaluation_loader("validation")

    def test_dataloader(self) -> DataLoader[NumberedExample]:
        """The test split, every document once."""
        return self._evaluation_loader("test")

    def showcase(self) -> DocumentBatch:
        """The validation document of middle length, as a batch of its own; needs ``setup``."""
        self._opened()
        split = self.splits["validation"]
        order = split.lengths.argsort(kind="stable")
        return collate([split[order[len(order) // 2]]])

    def _evaluation_loader(self, name: str) -> DataLoader[NumberedExample]:
        split = self.splits[name]
        batches = batches_by_length(split.lengths.tolist(), self.eval_batch_size)
        return self._loader(split, self.share.of_evaluation(batches))

    def _loader(self, split: DocumentSplit, batches: Any) -> DataLoader[NumberedExample]:
        return DataLoader(split, batch_sampler=batches, collate_fn=collate)

    def _opened(self) -> DocumentStore:
        if self._store is None:
            raise RuntimeError("call prepare_data() and setup() first")
        return self._store

    def full_identity(self) -> dict[str, Any]:
        """Everything that decides what is on disk."""
        limits = self.reading.limits
        return {
            "name": self.name,
            "format": FORMAT,
            "tokenizer": self.reading.tokenizer.name,
            "highlights": self.reading.highlights,
            "max_document_words": limits.max_document_words,
            "on_unusable": limits.on_unusable,
            **self.identity(),
        }

    def build(self, folder: Path) -> None:
        """Cut the texts into words.

        Raises:
            UserError: some cannot be used; two have the same id; nothing is left of a split; they
                have changed meanwhile.
        """
        identity = self.full_identity()
        prepare_documents(folder, self.name, self.texts(), self.reading, identity, self.jobs)
        if self.full_identity() != identity:
            raise UserError(
                f"{self.name}: what it is made of has changed while it was read: prepare it again"
            )

    def _known_shares(self) -> dict[str, float]:
        """By split, the share of all words that the vocabulary has."""
        known = set(self.spec.vocabulary.words)
        totals, of_known = [0] * len(SPLITS), [0] * len(SPLITS)
        for word, counts in self._opened().words():
            for split, count in enumerate(counts):
                totals[split] += count
                of_known[split] += count * (word in known)
        shares = (round(part / whole, 4) for part, whole in zip(of_known, totals, strict=True))
        return dict(zip(SPLITS, shares, strict=True))
