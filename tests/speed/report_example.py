"""A measurement whose numbers are known, as if it had been made."""

from typing import Any

from mocha_lightning.speed.measure import VARIANTS, Scan, Timed
from mocha_lightning.speed.report import SpeedReport
from mocha_lightning.speed.settings import Settings
from mocha_lightning.speed.summary import summarise

LENGTHS = (10, 20, 50, 100, 200, 400)
ORIGIN: dict[str, Any] = {
    "commit": "abcdef0123456789",
    "dirty": False,
    "versions": {"python": "3.11.7", "numba": "0.68.1"},
    "hardware": "a processor",
    "threads": 1,
    "command": "mocha-lightning speed --trials 2",
    "libraries": [
        {"user_api": "blas", "prefix": "libopenblas", "version": "0.3.30", "architecture": "Zen"},
        {"user_api": "openmp", "prefix": "libgomp", "version": None},
    ],
}


def timed(variant: str, length: int, spread: float = 0.1) -> Timed:
    """Soft attention takes T^2 / 1000 milliseconds, monotonic T / 100; of two trials each."""
    means = {"soft": length**2 / 1000, "monotonic": length / 100}
    return Timed(
        variant=variant,
        length=length,
        milliseconds={
            name: [mean * (1 - spread), mean * (1 + spread)] for name, mean in means.items()
        },
        scan=Scan(offset=0.25, stopped=length - 1, passed=length, energies=2 * length - 1),
        rows_at_once=8,
    )


def report(spread: float = 0.1) -> SpeedReport:
    """Both variants, measured in two trials."""
    trials = tuple(timed(variant, length, spread) for variant in VARIANTS for length in LENGTHS)
    return SpeedReport(
        settings=Settings(lengths=LENGTHS, chunk_sizes=(1,), trials=2),
        provenance=ORIGIN,
        variants=summarise(trials),
        trials=trials,
    )
