"""All that a measurement says, before it is put on a page."""

from dataclasses import dataclass
from typing import Any

from mocha_lightning.speed.measure import Timed
from mocha_lightning.speed.settings import Settings
from mocha_lightning.speed.summary import Variant


@dataclass(frozen=True, kw_only=True)
class SpeedReport:
    """One measurement.

    Attributes:
        settings: what was measured.
        provenance: code, versions, processor, threads, libraries with threads, command, time.
        variants: means, speed-ups, exponents.
        trials: every time.
    """

    schema: int = 1
    settings: Settings
    provenance: dict[str, Any]
    variants: tuple[Variant, ...]
    trials: tuple[Timed, ...]
