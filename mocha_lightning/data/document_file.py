"""Documents of the user's own, in a file for each split."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

from mocha_lightning.data.document_batches import Cut
from mocha_lightning.data.document_rows import Columns, check_apart, file_facts, texts_of
from mocha_lightning.data.document_texts import DocumentLimits, Reading, Text
from mocha_lightning.data.documents import Documents
from mocha_lightning.data.tokenizing import SpaceTokenizer, TreebankTokenizer
from mocha_lightning.errors import UserError


class DocumentFile(Documents):
    """JSON lines, CSV or Parquet (by the file's name), with a document and its summary in a row.

    Args:
        train: the file of the training split.
        validation: the file of the validation split.
        test: the file of the test split.
        document_column: the column with the text to be summarised.
        summary_column: the column with the reference.
        id_column: the column with a name for each row, unique in its file; null to number them.
        tokenised: whether words are parted by spaces already; false for running text.
        highlights: whether each line of a summary is one sentence, which is given the full stop
            that it may lack; false to find sentences within lines, too.
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

    name = "document-file"
    kind = "documents of a file"
    places: ClassVar[tuple[str, ...]] = (*Documents.places, "train", "validation", "test")

    def __init__(
        self,
        train: str,
        validation: str,
        test: str,
        document_column: str = "document",
        summary_column: str = "summary",
        id_column: str | None = None,
        tokenised: bool = False,
        highlights: bool = False,
        max_document_words: int | None = None,
        on_unusable: Literal["stop", "drop"] = "stop",
        source_words: int = 400,
        target_words: int = 100,
        vocabulary_size: int = 50_000,
        lead_sentences: int = 1,
        cache_dir: str = "cache",
        batch_size: int = 64,
        eval_batch_size: int = 64,
    ) -> None:
        super().__init__(
            Reading(
                SpaceTokenizer() if tokenised else TreebankTokenizer(),
                highlights,
                DocumentLimits(max_document_words, on_unusable),
            ),
            Cut(source_words, target_words, lead_sentences),
            vocabulary_size,
            cache_dir,
            batch_size,
            eval_batch_size,
        )
        if document_column == summary_column:
            raise UserError(
                f"data.document_column and data.summary_column are both {document_column!r}: name "
                "two columns"
            )
        self.files = {"train": Path(train), "validation": Path(validation), "test": Path(test)}
        self.columns = Columns(document_column, summary_column, id_column)

    @property
    def packages(self) -> tuple[str, ...]:
        """What reads the rows, too."""
        return (*super().packages, "pyarrow")

    def identity(self) -> dict[str, Any]:
        """The columns, and the files by their content."""
        files = {split: file_facts(path)["sha256"] for split, path in self.files.items()}
        check_apart({split: [sha256] for split, sha256 in files.items()})
        return {"columns": list(self.columns.needed), "files": files}

    def texts(self) -> Iterator[Text]:
        """The rows of the files.

        Raises:
            UserError: a file cannot be read, lacks a column or has no row.
        """
        for split, path in self.files.items():
            texts = texts_of(path, split, self.columns)
            first = next(texts, None)
            if first is None:
                raise UserError(f"{path}: has no row: name a file with documents as data.{split}")
            yield first
            yield from texts
