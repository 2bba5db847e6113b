"""What the caption says of a corpus."""

from collections.abc import Iterator, Mapping
from typing import Any

from mocha_lightning.report.results import DataFacts

_ORIGINS = {"speech": "speech", "held_out_speaker": "held-out speaker", "documents": "texts"}


def data_label(data: DataFacts) -> str:
    """Name a corpus with what its description tells of where it is from and of its sizes.

    A description is the data module's affair, so nothing in it need be there.
    """
    facts = "; ".join(_facts(data.description))
    return f"{data.name} ({facts})" if facts else data.name


def _facts(description: Mapping[str, Any]) -> Iterator[str]:
    for key, name in _ORIGINS.items():
        if description.get(key) is not None:
            yield f"{name}: {description[key]}"
    for examples in ("utterances", "documents"):
        sizes = ", ".join(_sizes(description.get("splits"), examples))
        if sizes:
            yield f"{examples}: {sizes}"


def _sizes(splits: object, examples: str) -> Iterator[str]:
    if isinstance(splits, dict):
        for name, split in splits.items():
            if isinstance(split, dict) and isinstance(split.get(examples), int):
                yield f"{split[examples]:,} {name}"
