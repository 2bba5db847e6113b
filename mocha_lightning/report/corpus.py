"""What the caption says of a corpus."""

from collections.abc import Iterator, Mapping
from typing import Any

from mocha_lightning.report.results import DataFacts


def data_label(data: DataFacts) -> str:
    """Name a corpus with what its description tells of speech, held-out speaker and sizes.

    A description is the data module's affair, so nothing in it need be there.
    """
    facts = "; ".join(_facts(data.description))
    return f"{data.name} ({facts})" if facts else data.name


def _facts(description: Mapping[str, Any]) -> Iterator[str]:
    if description.get("speech") is not None:
        yield f"speech: {description['speech']}"
    if description.get("held_out_speaker") is not None:
        yield f"held-out speaker: {description['held_out_speaker']}"
    sizes = ", ".join(_sizes(description.get("splits")))
    if sizes:
        yield f"utterances: {sizes}"


def _sizes(splits: object) -> Iterator[str]:
    if isinstance(splits, dict):
        for name, split in splits.items():
            match split:
                case {"utterances": int(number)}:
                    yield f"{number:,} {name}"
