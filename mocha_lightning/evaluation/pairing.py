"""Which reference belongs to which prediction."""

from collections.abc import Sequence
from dataclasses import dataclass

from mocha_lightning.errors import UserError
from mocha_lightning.evaluation.rows import Row

Pairs = list[tuple[Row, Row]]
"""Predictions, each with its reference."""


@dataclass(frozen=True)
class LeftOut:
    """How many records a subset is without, because their counterparts were not there."""

    references: int
    predictions: int


def joined(
    rows: list[Row], names: list[str] | None, references: list[Row], theirs: list[str] | None
) -> Pairs:
    """Every prediction with its reference, by names where both have them, else in order.

    Args:
        rows: the predictions.
        names: theirs; None where they have none.
        references: the references.
        theirs: their names.

    Raises:
        UserError: one has no counterpart.
    """
    if names is None or theirs is None:
        return _in_order(rows, references)
    files = _files(references)
    at = dict(zip(theirs, references, strict=True))
    for name, row in zip(names, rows, strict=True):
        if name not in at:
            raise UserError(
                f"{row.place}: {name!r} has no reference in {files}: add it there, leave the "
                "prediction out, or give --subset to score what both have"
            )
    own = set(names)
    for name, row in at.items():
        if name not in own:
            raise UserError(
                f"{row.place}: {name!r} has no prediction in {rows[0].file}: add it there, leave "
                "the reference out, or give --subset to score what both have"
            )
    return [(row, at[name]) for name, row in zip(names, rows, strict=True)]


def common(
    rows: list[Row], names: list[str] | None, references: list[Row], theirs: list[str] | None
) -> tuple[Pairs, LeftOut]:
    """The predictions and references of those names that both have, in the predictions' order.

    Raises:
        UserError: one side has no names, or they have none in common.
    """
    for which, found in ((rows, names), (references, theirs)):
        if found is None:
            raise UserError(
                f"--subset: {_files(which)} has no ids, which tell what belongs together: give "
                "each line one (--id-column names it), or files of the same texts"
            )
    at = dict(zip(theirs or (), references, strict=True))
    pairs = [(row, at[name]) for name, row in zip(names or (), rows, strict=True) if name in at]
    if not pairs:
        raise UserError(
            f"--subset: {rows[0].file} and {_files(references)} have no id in common: name the "
            "right column with --id-column"
        )
    return pairs, LeftOut(len(references) - len(pairs), len(rows) - len(pairs))


def _in_order(rows: list[Row], references: list[Row]) -> Pairs:
    if len(rows) != len(references):
        longer, lacking, what = (
            (rows, references, "reference")
            if len(rows) > len(references)
            else (references, rows, "prediction")
        )
        raise UserError(
            f"{longer[len(lacking)].place}: has no {what}: {_files(lacking)} has {len(lacking)} "
            f"texts and {_files(longer)} {len(longer)}: give files with as many texts, or ids in "
            "both"
        )
    return list(zip(rows, references, strict=True))


def _files(rows: Sequence[Row]) -> str:
    return ", ".join(dict.fromkeys(str(row.file) for row in rows))
