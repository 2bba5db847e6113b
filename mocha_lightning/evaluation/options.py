"""What may be asked of ``evaluate``."""

from dataclasses import dataclass
from pathlib import Path

from jsonargparse import ArgumentParser, Namespace

from mocha_lightning.errors import UserError
from mocha_lightning.evaluation.records import REFERENCE, Columns

METRICS = ("rouge", "wer", "exact_match")


@dataclass(frozen=True)
class Options:
    """What to score, and how.

    Args:
        run: a finished run's folder, or None.
        against: another's, or None.
        predictions: a file, or None.
        references: files of them, where the predictions do not have them.
        columns: what they are called in those files; None where none is named.
        subset: whether to score what both have, where one lacks some of the other's.
        metrics: by which to score a file; empty is the default.
        json: whether to print JSON.

    Raises:
        UserError: there is nothing to score, or two things that exclude each other are asked.
    """

    run: str | None
    against: str | None
    predictions: str | None
    references: tuple[str, ...]
    columns: Columns | None
    subset: bool
    metrics: tuple[str, ...]
    json: bool

    def __post_init__(self) -> None:
        if (self.run is None) == (self.predictions is None):
            raise UserError("give a finished run's folder, or else --predictions FILE")
        if self.against is not None and self.run is None:
            raise UserError(
                "--against: is for runs (of a file, name two columns with --hypothesis-column)"
            )
        folders = [Path(run).resolve() for run in (self.run, self.against) if run is not None]
        if len(set(folders)) < len(folders):
            raise UserError("--against: is the same run: name another")
        for name, given in (
            ("references", self.references),
            ("subset", self.subset),
            ("metric", self.metrics),
        ):
            if given and self.run is not None:
                raise UserError(
                    f"--{name}: is for --predictions alone (a run says its own): leave it out"
                )
        if self.columns is not None and self.run is not None:
            raise UserError(
                "--hypothesis-column, --reference-column, --id-column: are for --predictions alone "
                "(a run's are known): leave them out"
            )
        if len(set(self.references)) < len(self.references):
            raise UserError("--references: a file is given twice: name each once")
        if self.subset and not self.references:
            raise UserError("--subset: is of two files' texts: give --references too")

    @classmethod
    def of(cls, given: Namespace) -> "Options":
        """From the command line."""
        hypotheses, reference = given.hypothesis_column, given.reference_column
        columns = Columns(
            tuple(dict.fromkeys(hypotheses or ())), reference or REFERENCE, given.id_column
        )
        return cls(
            given.run,
            given.against,
            given.predictions,
            tuple(given.references or ()),
            None if columns == Columns() else columns,
            given.subset,
            tuple(dict.fromkeys(given.metric or ())),
            given.json,
        )


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``evaluate`` to its parser."""
    parser.add_argument(
        "run", type=str, nargs="?", metavar="RUN", help="the folder of a finished run"
    )
    parser.add_argument(
        "--against",
        type=str,
        metavar="RUN",
        help="another finished run of the same test set: how far the two are apart on its texts",
    )
    parser.add_argument(
        "--predictions",
        type=str,
        metavar="FILE",
        help="instead of a run: JSON lines (.jsonl) with hypothesis, reference and, if you like, "
        "id and source; or plain text, a text a line",
    )
    parser.add_argument(
        "--references",
        type=str,
        nargs="+",
        metavar="FILE",
        help="the references, where the predictions do not have them: JSON lines with reference "
        "and id, or plain text, a text a line; of several files, all of them together",
    )
    parser.add_argument(
        "--hypothesis-column",
        type=str,
        nargs="+",
        metavar="NAME",
        help="where the predictions are, if not in hypothesis; each column is a system by its name",
    )
    parser.add_argument(
        "--reference-column",
        type=str,
        metavar="NAME",
        help="where the references are, if not in reference",
    )
    parser.add_argument(
        "--id-column",
        type=str,
        metavar="NAME",
        help="what says which reference belongs to which prediction, if not id or utterance",
    )
    parser.add_argument(
        "--subset",
        action="store_true",
        help="score the texts that predictions and references both have, by their ids, and say how "
        "many are left out (else a text without its counterpart is an error)",
    )
    parser.add_argument(
        "--metric",
        choices=METRICS,
        nargs="+",
        help="what to score a file by (default: rouge and exact_match)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
