"""The account of what a prepared corpus leaves out, whether utterances or documents."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from mocha_lightning.data.sealing import DROPPED, dropped_is_intact
from mocha_lightning.data.strings import SPLITS
from mocha_lightning.errors import UserError

SHOWN, OF_EACH = 10, 3
"""Items that a message lists, and those of each reason; of the others it tells the number."""


@dataclass(frozen=True)
class Kind:
    """What a corpus calls its items in messages."""

    one: str
    several: str
    to_add: str


RECORDINGS = Kind("recording", "utterances", "recordings")
DOCUMENTS = Kind("document", "documents", "documents")


def write_account(folder: Path, items: Iterable[Any]) -> None:
    """Write what was left out (dataclasses with a split and a reason) to a folder."""
    with (folder / DROPPED).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(item)) + "\n" for item in items)


def read_account(folder: Path) -> list[dict[str, str]]:
    """The fields of each item that :func:`write_account` has written.

    Raises:
        UserError: the account is missing or damaged.
    """
    if not dropped_is_intact(folder):
        raise damaged_account(folder)
    try:
        lines = (folder / DROPPED).read_text(encoding="utf-8").splitlines()
        items = [json.loads(line) for line in lines]
        for item in items:
            item["split"], item["reason"]
    except (OSError, ValueError, KeyError, TypeError):
        raise damaged_account(folder) from None
    return items


def damaged_account(folder: Path) -> UserError:
    """The error of an account that is missing or damaged."""
    return UserError(
        f"{(folder / DROPPED).resolve()}: missing or damaged: delete that folder and it will be "
        "built again"
    )


def counted(splits_and_reasons: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """How many items are left out of each split for each reason."""
    found: dict[str, dict[str, int]] = {split: {} for split in SPLITS}
    for (split, reason), count in sorted(Counter(splits_and_reasons).items()):
        found[split][reason] = count
    return found


def tell(counts: Mapping[str, Mapping[str, int]]) -> None:
    """Say on standard error what :func:`counted` has counted."""
    for split, reasons in counts.items():
        for reason, count in reasons.items():
            print(f"Left out of {split}: {count} ({reason}); see {DROPPED}", file=sys.stderr)


def check_usable(
    corpus: str,
    kind: Kind,
    used: Mapping[str, int],
    dropped: Sequence[Any],
    droppable: frozenset[StrEnum],
) -> None:
    """Check that a corpus can do without what is left out.

    Args:
        corpus: its name.
        kind: what its items are called.
        used: items of each split.
        dropped: what is left out.
        droppable: reasons for which that is allowed.

    Raises:
        UserError: some items cannot be used and must be; nothing is left of a split.
    """
    bad = [item for item in dropped if item.reason not in droppable]
    if bad:
        remedy = "correct them, or set data.on_unusable to drop to do without them"
        if len(bad) == 1:
            raise UserError(f"{corpus}: one {kind.one} cannot be used: {bad[0]}: {remedy}")
        said = f"{corpus}: {len(bad)} {kind.several} cannot be used: {remedy}"
        raise UserError("\n".join([said, *_by_reason(bad)]))
    for split in SPLITS:
        if used.get(split, 0) == 0:
            first = next((item for item in dropped if item.split == split), None)
            why = f"; the first left out: {first}" if first else ""
            raise UserError(
                f"{corpus}: no {kind.one} that can be used falls to {split}{why}: add "
                f"{kind.to_add} or correct the settings (data.*)"
            )


def _by_reason(items: Sequence[Any]) -> Iterator[str]:
    """A line for each reason, and below it the first items with that reason."""
    for reason, count in Counter(item.reason for item in items).items():
        yield f"  {reason} ({count:,}):"
        some = [item for item in items if item.reason == reason][:OF_EACH]
        yield from (f"    {item}".replace(f": {reason}: ", ": ", 1) for item in some)
        if count > len(some):
            yield f"    and {count - len(some):,} more"
