"""News and their highlights, from the Hugging Face hub or from files: the paper's corpus."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from mocha_lightning.data.document_batches import Cut
from mocha_lightning.data.document_rows import SUFFIXES, Columns, check_apart, file_facts, texts_of
from mocha_lightning.data.document_texts import DocumentLimits, Reading, Text
from mocha_lightning.data.documents import Documents
from mocha_lightning.data.hub_rows import check_columns, plain_errors
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.data.tokenizing import SpaceTokenizer, TreebankTokenizer
from mocha_lightning.errors import UserError

COLUMNS = Columns("article", "highlights", "id")
REMEDY = (
    "name a folder with the data set's files (train.jsonl or train-*.parquet, validation..., "
    "test...) as data.source"
)
SHOWN = 200
"""Characters of what the library says."""


class CnnDailyMail(Documents):
    """CNN and Daily Mail (Hermann et al. 2015), with names, as See et al. (2017) use it.

    The data set is https://huggingface.co/datasets/abisee/cnn_dailymail, 3.0.0: 287,113 articles
    for training, 13,368 for validation, 11,490 for test. Each highlight, on a line of its own, is
    one sentence of the summary, and is given the full stop that it may lack. Words, the length of
    documents and summaries and the size of the vocabulary are See et al.'s; a summary that is cut
    is learned as if it ended there.

    Some articles of the data set are empty, so that what cannot be used is left out by default.

    Args:
        source: a data set on the hub, or a folder with files whose names begin with train,
            validation (or val) and test, and end in .parquet, .jsonl, .jsonl.gz or .csv, with the
            same columns (article, highlights, id).
        configuration: the data set's version on the hub; of a folder, a folder in it of that name,
            if there is one.
        revision: branch, tag or commit on the hub.
        streaming: whether texts are read over the network and not kept; false to fetch the files
            into the hub's cache, from where they can be read again without network.
        tokenised: whether words are parted by spaces already, as in files that are made by See et
            al.'s scripts; false for running text, as on the hub.
        max_document_words: longer documents are left out, and counted; null for no limit.
        on_unusable: whether a document that cannot be used for another reason stops the
            preparation ("stop") or is left out and counted ("drop").
        source_words: a document's first words, which are read.
        target_words: a summary's first words, which are learned.
        vocabulary_size: the most frequent words of the training split, which have numbers of their
            own.
        lead_sentences: a document's first sentences, which are the lead baseline's summary.
        cache_dir: the folder that prepared corpora are kept in.
        batch_size: documents of a training batch.
        eval_batch_size: documents of a validation or test batch.

    Raises:
        UserError: a setting is out of range.
    """

    name = "cnn-dailymail"
    kind = "news (CNN and Daily Mail) with highlights"
    places: ClassVar[tuple[str, ...]] = (*Documents.places, "source", "streaming")

    def __init__(
        self,
        source: str = "abisee/cnn_dailymail",
        configuration: str = "3.0.0",
        revision: str = "main",
        streaming: bool = True,
        tokenised: bool = False,
        max_document_words: int | None = None,
        on_unusable: Literal["stop", "drop"] = "drop",
        source_words: int = 400,
        target_words: int = 100,
        vocabulary_size: int = 50_000,
        lead_sentences: int = 3,
        cache_dir: str = "cache",
        batch_size: int = 64,
        eval_batch_size: int = 64,
    ) -> None:
        super().__init__(
            Reading(
                SpaceTokenizer() if tokenised else TreebankTokenizer(),
                True,
                DocumentLimits(max_document_words, on_unusable),
            ),
            Cut(source_words, target_words, lead_sentences),
            vocabulary_size,
            cache_dir,
            batch_size,
            eval_batch_size,
        )
        self.source = source
        self.configuration = configuration
        self.revision = revision
        self.streaming = streaming

    @property
    def packages(self) -> tuple[str, ...]:
        """What reads the rows, too."""
        return (*super().packages, "datasets", "pyarrow")

    def identity(self) -> dict[str, Any]:
        """Where the rows come from: local files by their content, the hub's by name."""
        if not Path(self.source).is_dir():
            return {
                "source": self.source,
                "configuration": self.configuration,
                "revision": self.revision,
            }
        files = {
            split: [file_facts(path)["sha256"] for path in self._local(split)] for split in SPLITS
        }
        check_apart(files)
        return files

    def texts(self) -> Iterator[Text]:
        """The rows of all splits.

        Raises:
            UserError: the source cannot be reached or read, or lacks a column.
        """
        for split in SPLITS:
            if Path(self.source).is_dir():
                number = 0
                for path in self._local(split):
                    for text in texts_of(path, split, COLUMNS, number + 1):
                        number += 1
                        yield text
            else:
                for number, row in enumerate(self._rows(split), 1):
                    yield COLUMNS.text(row, split, number, f"{self.source}, {split}, row {number}")

    def _local(self, split: str) -> list[Path]:
        """The files of a split, by name."""
        root = Path(self.source)
        if (root / self.configuration).is_dir():
            root /= self.configuration
        names = ("validation", "val") if split == "validation" else (split,)
        found = sorted(
            path
            for path in root.iterdir()
            if path.name.removesuffix(".gz").endswith(SUFFIXES) and _called(path) in names
        )
        called = {_called(path) for path in found}
        if len(called) > 1:
            raise UserError(
                f"{root.resolve()}: has files both of {' and of '.join(sorted(called))}, which are "
                "one split: keep those of one name"
            )
        if not found:
            raise UserError(
                f"{root.resolve()}: holds no file of the {split} split ({split}.jsonl or "
                f"{split}-*.parquet, for example): correct data.source"
            )
        return found

    def _rows(self, split: str) -> Iterator[Mapping[str, Any]]:
        # Seconds to import, and needed only to build.
        import datasets

        place = f"{self.source}, {split}"
        with plain_errors(place, REMEDY, SHOWN):
            rows = datasets.load_dataset(
                self.source,
                self.configuration,
                revision=self.revision,
                split=split,
                streaming=self.streaming,
            )
            check_columns(place, COLUMNS.needed, rows.column_names)
            yield from rows


def _called(path: Path) -> str:
    """The split that a file's name says: `train` of `train-00000-of-00003.parquet`."""
    return path.name.split(".")[0].split("-")[0]
