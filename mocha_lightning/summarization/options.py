"""What may be asked of ``summarize``. Nothing here imports torch."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jsonargparse import ArgumentParser, Namespace

from mocha_lightning.errors import UserError

STANDARD_INPUT_NAME = "-"


@dataclass(frozen=True)
class Rows:
    """The columns of files that have a document in each row.

    Args:
        document: the text to be summarised.
        summary: the reference; None where there is none.
        id: the row's name; None to number them.
    """

    document: str
    summary: str | None
    id: str | None


@dataclass(frozen=True)
class Options:
    """What to summarise, with what, and how it is to be printed.

    Args:
        files: text files; ``-`` is standard input.
        rows: the files' columns, where each has many documents; None where each is one.
        stream: whether text is read from standard input and summarised while it comes.
        checkpoint: a run's folder or a checkpoint in it.
        beam: hypotheses of the search; None is the run's own number.
        json: whether to print JSON.
        attention: the picture to draw of where each word came from; None for none.

    Raises:
        UserError: there is nothing to summarise, or two things that exclude each other are asked.
    """

    files: tuple[str, ...]
    rows: Rows | None
    stream: bool
    checkpoint: str
    beam: int | None
    json: bool
    attention: str | None

    def __post_init__(self) -> None:
        if self.stream == bool(self.files):
            raise UserError("give text files (- is standard input), or else --stream -")
        if self.rows is not None and (self.stream or STANDARD_INPUT_NAME in self.files):
            raise UserError("--document-column: is of files: give those and no standard input")
        if self.files.count(STANDARD_INPUT_NAME) > 1:
            raise UserError("-: standard input can be read once: give it once")
        if self.stream and self.beam not in (None, 1):
            raise UserError(
                "--beam: a beam may take back what was printed, so --stream searches greedily: "
                "leave it out"
            )
        if self.attention is not None:
            self._check_picture(Path(self.attention))

    def _check_picture(self, picture: Path) -> None:
        if self.stream or self.rows is not None or len(self.files) != 1:
            raise UserError("--attention: is of one document: give one file, without --stream")
        if picture.suffix.lower() != ".png":
            raise UserError(f"--attention {picture}: is drawn as PNG: let the name end in .png")
        try:
            has_place = picture.parent.is_dir() and not picture.is_dir()
        except OSError as error:
            raise UserError(
                f"--attention {picture}: cannot be written ({error.strerror})"
            ) from error
        if not has_place:
            raise UserError(f"--attention {picture}: is no file in a folder that is there")

    @classmethod
    def of(cls, given: Namespace) -> "Options":
        """From the command line.

        Raises:
            UserError: as the class; another column is named, and that of the documents is not.
        """
        rows = None
        if given.document_column is not None:
            rows = Rows(given.document_column, given.summary_column, given.id_column)
        elif given.summary_column is not None or given.id_column is not None:
            raise UserError("--summary-column, --id-column: name the --document-column, too")
        return cls(
            tuple(given.files),
            rows,
            given.stream is not None,
            given.checkpoint,
            given.beam,
            given.json,
            given.attention,
        )


def add_options(parser: ArgumentParser, width: Callable[[str], int]) -> None:
    """Add the options of ``summarize`` to its parser.

    Args:
        parser: of the command.
        width: reads the number of hypotheses.
    """
    parser.add_argument(
        "files",
        type=str,
        nargs="*",
        metavar="FILE",
        help="texts in UTF-8, a document each; - is standard input; or, with --document-column, "
        "JSON lines, CSV or Parquet with a document in each row",
    )
    for column, what in (
        ("document", "to be summarised, where a file has a document in each row"),
        ("summary", "with the reference of each, which --json prints beside what is found"),
        ("id", "with the name of each (default: rows are numbered)"),
    ):
        parser.add_argument(
            f"--{column}-column", type=str, metavar="NAME", help=f"the column {what}"
        )
    parser.add_argument(
        "--checkpoint",
        type=str,
        required=True,
        metavar="RUN",
        help="a run's folder, or a checkpoint in it",
    )
    parser.add_argument(
        "--beam",
        type=width,
        metavar="N",
        help="hypotheses that the search keeps, 1 being greedy search (default: the run's)",
    )
    parser.add_argument(
        "--attention",
        type=str,
        metavar="FILE.png",
        help="draw where in the document each word of the summary came from",
    )
    parser.add_argument(
        "--stream",
        choices=("-",),
        help="instead of files: print each word while the document comes on standard input (line "
        "by line, or word by word where the corpus parted words by spaces); greedy search, for "
        "monotonic heads over an encoder that looks at no later word",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="a JSON object in a line for each document, with --stream for each word before it",
    )
