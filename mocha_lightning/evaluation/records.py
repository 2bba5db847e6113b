"""Predictions and references from files: JSON lines, or plain text with a text a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mocha_lightning.errors import UserError
from mocha_lightning.evaluation.pairing import LeftOut, common, joined
from mocha_lightning.evaluation.rows import is_json, names_of, rows_of, text_of

REFERENCE, HYPOTHESIS, SOURCE, LEAD = "reference", "hypothesis", "source", "lead"


@dataclass(frozen=True)
class Columns:
    """What the columns are called in files that others have made.

    Attributes:
        hypotheses: each a system; empty for ``hypothesis`` and those whose names begin so.
        reference: where a file of references is given, its column.
        id: what names a record, in whichever file has it; None for ``id`` or ``utterance``.
    """

    hypotheses: tuple[str, ...] = ()
    reference: str = REFERENCE
    id: str | None = None


@dataclass(frozen=True)
class Predictions:
    """Texts to score, in the same order.

    Attributes:
        references: the true ones.
        systems: what was made, by the column that it is in.
        sources: the documents; None where they are not there.
        leads: each document's lead as the corpus defines it; None where that is not there.
        names: what the predictions are called; None where they have no names.
        left_out: of a subset; None where everything was asked for.
    """

    references: list[str]
    systems: dict[str, list[str]]
    sources: list[str] | None
    leads: list[str] | None
    names: list[str] | None
    left_out: LeftOut | None = None


def read_predictions(
    predictions: Path,
    references: Sequence[Path] = (),
    columns: Columns | None = None,
    subset: bool = False,
) -> Predictions:
    """Read what is to be scored.

    Args:
        predictions: JSON lines with the column ``hypothesis``, or a text a line.
        references: likewise, with the column ``reference``, one file after the other; empty where
            the predictions have it. Where all files name their records the names decide what
            belongs together, else the order of the lines does.
        columns: other names of them.
        subset: whether to leave out what has no counterpart, by the names, in the other file.

    Raises:
        UserError: a file cannot be read, is empty, or has a line that is none of these; a name is
            there twice; a prediction lacks its reference or a reference its prediction, unless a
            subset is asked for, and then if there is nothing in it.
    """
    columns = columns or Columns()
    if columns.hypotheses and not is_json(predictions):
        raise UserError(
            f"--hypothesis-column: {predictions} is plain text, which has no columns: leave it out"
        )
    rows = rows_of(predictions, HYPOTHESIS)
    true_rows = [row for file in references for row in rows_of(file, columns.reference)]
    if not references and not is_json(predictions):
        raise UserError(
            f"{predictions}: is plain text, which has no references beside it: give their file "
            "with --references"
        )
    if columns.id is not None and not any(columns.id in row.values for row in (*rows, *true_rows)):
        raise UserError(f"--id-column: no line of the files has {columns.id!r}: name another")
    names = names_of(rows, columns.id)
    left_out = None
    if references:
        theirs = names_of(true_rows, columns.id)
        if subset:
            pairs, left_out = common(rows, names, true_rows, theirs)
        else:
            pairs = joined(rows, names, true_rows, theirs)
        rows = [row for row, _ in pairs]
        true_rows = [reference for _, reference in pairs]
    else:
        true_rows = rows
    # Of any row, so that a row which lacks one is told, and the plain one is missed by its name.
    hypotheses = columns.hypotheses or dict.fromkeys(
        [HYPOTHESIS, *(name for row in rows for name in row.values if name.startswith(HYPOTHESIS))]
    )

    def where_there(name: str) -> list[str] | None:
        there = all(name in row.values for row in rows)
        return [text_of(row, name, "") for row in rows] if there else None

    other = " or another file with --references" if not references else ""
    return Predictions(
        [text_of(row, columns.reference, f"--reference-column{other}") for row in true_rows],
        {name: [text_of(row, name, "--hypothesis-column") for row in rows] for name in hypotheses},
        where_there(SOURCE),
        where_there(LEAD),
        names_of(rows, columns.id),
        left_out,
    )
