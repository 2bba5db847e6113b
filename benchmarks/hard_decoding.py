"""How long an output of hard decoding takes, against the length T of the memory.

One utterance, attention alone, with energies of which about every fourth inspected one stops the
scan, wherever the memory ends. The keys are projected before the time begins. Soft attention's
time grows with T, the others' does not. Medians, in one process, each mechanism in turn.
"""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from harness import Options, compute_as_runs_do, median_milliseconds, print_table, significant
from torch import Tensor

from mocha_lightning.attention import Attention, MoChA, MonotonicAttention, SoftAttention
from mocha_lightning.attention.energy import AdditiveEnergy, NormalisedEnergy
from mocha_lightning.speed.busiest import busiest
from mocha_lightning.speed.problem import Energy, Problem
from mocha_lightning.speed.settings import Settings

LENGTHS = (100, 300, 1000, 3000, 10_000)
OUTPUTS = 32
REPETITIONS = 15
PASSED = 3
"""Entries that a scan passes for each stop: one in four stops it."""

DIMENSIONS = Settings(memory_dim=256, query_dim=256, energy_dim=128)
"""The paper's, for speech."""

MECHANISMS: dict[str, Callable[..., Attention]] = {
    "soft": SoftAttention,
    "monotonic": MonotonicAttention,
    "mocha_w2": partial(MoChA, chunk_size=2),
    "mocha_w8": partial(MoChA, chunk_size=8),
}
"""What is timed, by the name in the table."""


class Decoding:
    """Hard attention at some outputs, one after the other.

    Args:
        mechanism: a mechanism with its weights.
        memory: h, of one utterance.
        queries: s.
    """

    def __init__(self, mechanism: Attention, memory: Tensor, queries: Tensor) -> None:
        self.mechanism = mechanism
        self.memory = mechanism.prepare(memory.unsqueeze(0), torch.ones(1, len(memory)).bool())
        self.queries = queries.unsqueeze(1)
        self.inspected = 0

    def __call__(self) -> None:
        """Attend; ``inspected`` is then the number of entries that the scan has looked at."""
        state = self.mechanism.hard_start(self.memory)
        for query in self.queries:
            state = self.mechanism.hard_step(query, self.memory, state).state
        self.inspected = int(state.sum()) + len(self.queries)


def build(name: str, problem: Problem) -> Attention:
    """A mechanism with the weights of a problem."""
    size = DIMENSIONS
    mechanism = MECHANISMS[name](size.memory_dim, size.query_dim, size.energy_dim)
    if isinstance(mechanism, SoftAttention):
        _set(mechanism.energy, problem.soft)
    if isinstance(mechanism, MonotonicAttention | MoChA):
        _set(mechanism.head.energy, problem.head)
        mechanism.head.r.fill_(float(problem.head.offset))
    if isinstance(mechanism, MoChA):
        _set(mechanism.chunk_energy, problem.chunk)
    return mechanism.eval()


def rows(lengths: list[int], outputs: int, repetitions: int) -> Iterator[dict[str, str]]:
    """One row for each length."""
    problem, _ = busiest(DIMENSIONS, PASSED * outputs, outputs, always_stopping=True)
    torch.manual_seed(0)
    scanned, queries = torch.from_numpy(problem.memory), torch.from_numpy(problem.queries)
    for time in lengths:
        rest = torch.randn(time - len(scanned), DIMENSIONS.memory_dim)
        memory = torch.cat([scanned, rest])
        decodings = {name: Decoding(build(name, problem), memory, queries) for name in MECHANISMS}
        times = median_milliseconds(decodings, repetitions)
        yield {
            "T": f"{time:,}",
            **{name: significant(each / outputs) for name, each in times.items()},
            "energies an output": significant(decodings["monotonic"].inspected / outputs),
        }


@torch.no_grad()
def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    options = Options(__doc__, REPETITIONS)
    options.whole_numbers("--lengths", LENGTHS, "each T, the entries of the memory")
    options.whole_number("--outputs", OUTPUTS, "of one decoding")
    given = options.parse_args(arguments)
    if min(given.lengths) < PASSED * given.outputs:
        options.error(
            f"--lengths: {given.outputs} outputs pass {PASSED * given.outputs} entries: "
            f"{min(given.lengths)} are fewer"
        )
    compute_as_runs_do()
    print_table(
        f"Hard decoding of one utterance, {given.outputs} outputs: milliseconds an output",
        rows(given.lengths, given.outputs, given.repetitions),
    )


def _set(energy: AdditiveEnergy, weights: Energy) -> None:
    energy.memory_projection.weight.copy_(torch.from_numpy(weights.memory_weights.T))
    energy.memory_projection.bias.copy_(torch.from_numpy(weights.bias))
    energy.query_projection.weight.copy_(torch.from_numpy(weights.query_weights.T))
    energy.v.copy_(torch.from_numpy(weights.direction))
    if isinstance(energy, NormalisedEnergy):
        energy.g.fill_(1.0)


if __name__ == "__main__":
    main()
