"""How runs are named in a sentence."""

from collections.abc import Iterable, Sequence

from mocha_lightning.report.results import RunName


def run_names(names: Iterable[RunName]) -> str:
    """Name runs by variant: `soft seeds 1, 2; mocha_w2 seed 0`."""
    seeds: dict[str, list[int]] = {}
    for name in names:
        seeds.setdefault(name.variant, []).append(name.seed)
    return "; ".join(f"{variant} {seed_names(each)}" for variant, each in seeds.items())


def seed_names(seeds: Sequence[int]) -> str:
    """Name seeds: `seed 0`, `seeds 0, 2`."""
    return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"
