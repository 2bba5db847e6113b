"""How long the expected alignments of one output take, forward and backward, against softmax.

Softmax over the memory is what soft attention does in their place. Medians, in one process, each
thing in turn; a ratio of 2.00 is twice softmax's time on a tensor of the same shape.
"""

from collections.abc import Callable, Iterator

import torch
from harness import (
    Options,
    compute_as_runs_do,
    median_milliseconds,
    print_table,
    ratio,
    significant,
)
from torch import Tensor

from mocha_lightning.attention.alignment import (
    chunkwise_alignment,
    lookback_alignment,
    monotonic_alignment,
)

BATCHES = (8, 32)
LENGTHS = (100, 500, 2000)
CHUNK_SIZES = (2, 8)
REPETITIONS = 300
SOFTMAX = "softmax"


def subjects(batch: int, time: int, device: str) -> dict[str, Callable[[], object]]:
    """Each alignment, forward and backward, on random energies (batch, time)."""
    generator = torch.Generator().manual_seed(0)

    def energies() -> Tensor:
        drawn = torch.randn(batch, time, generator=generator)
        return drawn.to(device).requires_grad_()

    logits, chunk_energies, grad = energies(), energies(), energies().detach()
    # A distribution over the memory, as the output before leaves it.
    previous = torch.softmax(energies(), -1).detach().requires_grad_()

    def both(function: Callable[..., Tensor], *inputs: Tensor) -> Callable[[], object]:
        return lambda: torch.autograd.grad(function(*inputs), inputs, grad)

    def chunkwise(size: int) -> Callable[[Tensor, Tensor], Tensor]:
        return lambda alpha, energies: chunkwise_alignment(alpha, energies, size)

    return {
        SOFTMAX: both(lambda x: torch.softmax(x, -1), logits),
        "monotonic": both(monotonic_alignment, logits, previous),
        **{
            f"chunkwise, w = {size}": both(chunkwise(size), previous, chunk_energies)
            for size in CHUNK_SIZES
        },
        "lookback": both(lookback_alignment, previous, chunk_energies),
    }


def rows(
    batches: list[int], lengths: list[int], repetitions: int, device: str
) -> Iterator[dict[str, str]]:
    """One row for each shape."""
    for batch in batches:
        for time in lengths:
            times = median_milliseconds(subjects(batch, time, device), repetitions, device)
            softmax = times.pop(SOFTMAX)
            yield {
                "batch": str(batch),
                "T": f"{time:,}",
                "softmax, µs": significant(softmax * 1e3),
                **{name: ratio(each, softmax) for name, each in times.items()},
            }


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_numbers("--batches", BATCHES, "batch sizes")
    options.whole_numbers("--lengths", LENGTHS, "each T, the entries of the memory")
    options.device()
    given = options.parse_args(arguments)
    compute_as_runs_do()
    print_table(
        "Alignments of one output, forward and backward, as multiples of softmax",
        rows(given.batches, given.lengths, given.repetitions, given.device),
    )


if __name__ == "__main__":
    main()
