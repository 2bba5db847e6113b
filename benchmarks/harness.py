"""What the benchmarks share: options, timing side by side, the machine's name, a table."""

import time
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Mapping
from statistics import median
from typing import NamedTuple

import pandas as pd
import torch
from rich.console import Console

from mocha_lightning.experiment.provenance import hardware
from mocha_lightning.speed.interleaving import rotations

MOST = 1_000_000


class Options(ArgumentParser):
    """The options of a benchmark; its help is the docstring of its file.

    Args:
        description: what it measures.
        repetitions: how often by default.
    """

    def __init__(self, description: str | None, repetitions: int) -> None:
        super().__init__(description=description, formatter_class=RawDescriptionHelpFormatter)
        self.whole_number("--repetitions", repetitions, "of each time, of which the median counts")

    def whole_number(self, option: str, default: int, meaning: str) -> None:
        """Add an option that is a number above 0."""
        self.add_argument(
            option, type=above_0, default=default, help=f"{meaning} (default: {default})"
        )

    def whole_numbers(self, option: str, default: tuple[int, ...], meaning: str) -> None:
        """Add an option that is one or more numbers above 0."""
        self.add_argument(
            option,
            type=above_0,
            nargs="+",
            default=default,
            help=f"{meaning} (default: {' '.join(map(str, default))})",
        )

    def device(self) -> None:
        """Add the option that says where to compute."""
        self.add_argument(
            "--device", type=present_device, default="cpu", help="cpu (default) or cuda"
        )


def above_0(text: str) -> int:
    """Read a number."""
    if not text.isdecimal() or not 0 < int(text) <= MOST:
        raise ArgumentTypeError(f"must be a whole number from 1 to {MOST:,}, not {text}")
    return int(text)


def present_device(name: str) -> str:
    """Check that a device is there."""
    if name not in ("cpu", "cuda"):
        raise ArgumentTypeError(f"must be cpu or cuda, not {name}")
    if name == "cuda" and not torch.cuda.is_available():
        raise ArgumentTypeError("cuda: there is no GPU here that PyTorch can use")
    return name


class Spent(NamedTuple):
    """Seconds on the clock and of the processor."""

    wall: float
    cpu: float

    def __sub__(self, other: "Spent") -> "Spent":
        """Between two moments."""
        return Spent(self.wall - other.wall, self.cpu - other.cpu)


def median_spent(times: Iterable[Spent]) -> Spent:
    """The median of each."""
    return Spent(*map(median, zip(*times, strict=True)))


def compute_as_runs_do() -> None:
    """One thread, and numbers too small for float32's usual form are 0.

    Alignments hold many of those, and a processor takes a hundred times as long over each.
    """
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)


def median_milliseconds(
    subjects: Mapping[str, Callable[[], object]], repetitions: int, device: str = "cpu"
) -> dict[str, float]:
    """Time things against each other in one process: all of them in turn, many times.

    Args:
        subjects: what to time, by name.
        repetitions: how often each, after one time that does not count.
        device: where they compute; a GPU is waited for before the clock is read.

    Returns:
        The median of each.
    """
    finish = torch.cuda.synchronize if device == "cuda" else _nothing
    for subject in subjects.values():
        subject()
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for order in rotations(list(subjects), repetitions):
        for name in order:
            finish()
            begun = time.perf_counter()
            subjects[name]()
            finish()
            times[name].append((time.perf_counter() - begun) * 1e3)
    return {name: median(each) for name, each in times.items()}


def print_table(title: str, rows: Iterable[Mapping[str, str]]) -> None:
    """Measure row by row, and print the table in Markdown, with the machine's name."""
    begun = time.monotonic()
    with Console(stderr=True).status(f"{title} ..."):
        table = pd.DataFrame(list(rows))
    align = ["left", *["right"] * (table.shape[1] - 1)]
    machine = f"{hardware()}, {torch.get_num_threads()} thread, PyTorch {torch.__version__}"
    print(f"{title}\n\n{table.to_markdown(index=False, colalign=align, disable_numparse=True)}\n")
    print(f"({machine}; measured in {time.monotonic() - begun:.0f} s)\n", flush=True)


def significant(value: float) -> str:
    """Write a number with three digits, or all of those before the point."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:#.3g}".rstrip(".")


def ratio(value: float, base: float) -> str:
    """Write how many times another a time is."""
    return f"{value / base:.2f}"


def _nothing() -> None:
    """A CPU has done what it was told when the call returns."""
