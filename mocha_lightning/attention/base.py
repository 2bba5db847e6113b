"""What every attention mechanism offers to a decoder.

Shapes: B batch, T time (memory entries), U outputs, d energy_dim.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from mocha_lightning.attention.energy import AnyKeys, SharedKeys


@dataclass(frozen=True)
class Memory:
    """The encoder's states of a batch, and what a mechanism derives from them once per utterance.

    Attributes:
        values: h, zero after each utterance's end (or anything finite: it is not attended to).
        valid: True where an entry belongs to the utterance: its first ones, at least one.
        keys: what each energy function of the mechanism has projected.

    Raises:
        ValueError: ``valid`` of another shape or type; on a CPU, one with a gap or without an
            entry.
    """

    values: Float[Tensor, "batch time memory_dim"]
    valid: Bool[Tensor, "batch time"]
    keys: tuple[AnyKeys, ...] = ()

    def __post_init__(self) -> None:
        if self.valid.dtype != torch.bool or self.valid.shape != self.values.shape[:2]:
            raise ValueError(
                "valid must be True or False for each entry, of shape "
                f"{tuple(self.values.shape[:2])}, not {self.valid.dtype} {tuple(self.valid.shape)}"
            )
        if self.valid.device.type == "cpu" and not torch.compiler.is_compiling():
            self._refuse_gaps()

    def _refuse_gaps(self) -> None:
        begins = self.valid[:, :1].any(1)
        returns = (self.valid[:, 1:] > self.valid[:, :-1]).any(1)
        if (returns | ~begins).any():
            row = int(torch.nonzero(returns | ~begins)[0])
            raise ValueError(
                "valid must be True for the entries of each utterance, at least one, and False "
                f"after them; row {row} of {len(self.valid)} is not so"
            )

    @cached_property
    def lengths(self) -> Int[Tensor, " batch"]:
        """Entries of each utterance, which come before its padding."""
        return self.valid.sum(1)

    def at(self, entries: Int[Tensor, "batch some"]) -> Float[Tensor, "batch some memory_dim"]:
        """h_j of some entries of each utterance."""
        rows = torch.arange(len(self.values), device=self.values.device)
        return self.values[rows.unsqueeze(1), entries]

    def select(self, rows: Int[Tensor, " rows"]) -> "SharedMemory":
        """The memory of some utterances, in the order given (repeats allowed)."""
        return SharedMemory(self, rows)

    @staticmethod
    def joined(parts: "Sequence[Memory]") -> "Memory":
        """Memories of the same batch and mechanism, one after the other in time."""
        by_energy: Iterable[tuple[Any, ...]] = zip(*(part.keys for part in parts), strict=True)
        keys = tuple(each[0].joined(each) for each in by_energy)
        values = torch.cat([part.values for part in parts], 1)
        return Memory(values, torch.cat([part.valid for part in parts], 1), keys)


class SharedMemory(Memory):
    """The memory of rows that share utterances, as a beam's hypotheses do.

    What is asked for in whole (by expected and by soft attention) is copied for each row, once.
    Hard attention asks for entries, and takes them from where they are: it costs a hypothesis no
    more than it costs an utterance.

    Args:
        utterances: the memory that is shared.
        rows: which utterance each row is.
    """

    def __init__(self, utterances: Memory, rows: Int[Tensor, " rows"]) -> None:
        # The properties below stand in for the fields of a frozen dataclass.
        self.__dict__.update(utterances=utterances, rows=rows)

    utterances: Memory
    rows: Int[Tensor, " rows"]

    @cached_property
    def values(self) -> Float[Tensor, "rows time memory_dim"]:
        """The entries h of each row."""
        return self.utterances.values[self.rows]

    @cached_property
    def valid(self) -> Bool[Tensor, "rows time"]:
        """Which entries belong to the utterance."""
        return self.utterances.valid[self.rows]

    @cached_property
    def keys(self) -> tuple[SharedKeys, ...]:
        """What each energy function has projected."""
        return tuple(SharedKeys(keys, self.rows) for keys in self.utterances.keys)

    @cached_property
    def lengths(self) -> Int[Tensor, " rows"]:
        """Entries of each row's utterance."""
        return self.utterances.lengths[self.rows]

    def at(self, entries: Int[Tensor, "rows some"]) -> Float[Tensor, "rows some memory_dim"]:
        """h_j of some entries of each row."""
        return self.utterances.values[self.rows.unsqueeze(1), entries]

    def select(self, rows: Int[Tensor, " some"]) -> "SharedMemory":
        """The memory of some of the rows, in the order given (repeats allowed)."""
        return SharedMemory(self.utterances, self.rows[rows])


class Attended(NamedTuple):
    """What one attention step gives.

    Attributes:
        context: c_i, zero where nothing was attended to.
        weights: what each entry contributed to the context (alpha, or beta of a chunkwise
            mechanism). Sums to less than 1 by the mass that ran off the end of the memory.
        state: what the mechanism must know at the next output, first axis the batch.
        logits: e_{i,:} before the sigmoid, for expected attention with a monotonic head.
        entries: the entries that the weights belong to, where they are few (hard attention does
            not touch the others); None where they are all, in order.
        stop: t_i, of hard attention with a monotonic head; the memory's length past its end.
    """

    context: Float[Tensor, "batch memory_dim"]
    weights: Float[Tensor, "batch some"]
    state: Shaped[Tensor, "batch *state"]
    logits: Float[Tensor, "batch time"] | None = None
    entries: Int[Tensor, "batch some"] | None = None
    stop: Int[Tensor, " batch"] | None = None

    def over(self, time: int) -> Float[Tensor, "batch time"]:
        """The weights of all entries of the memory."""
        if self.entries is None:
            return self.weights
        everywhere = self.weights.new_zeros(len(self.weights), time)
        return everywhere.scatter_add_(1, self.entries, self.weights)


class Attention(nn.Module, ABC):
    """One attention mechanism: how the context c_i is made of the memory h and the query s_{i-1}.

    Training uses the *expected* attention, testing and streaming the *hard* one. For a mechanism
    that attends the same way in both (soft attention), the hard methods are the expected ones.

    ``of_the_paper`` says whether a mechanism is one that the paper measures: the defaults of its
    arguments are then the paper's numbers. ``none_means`` says what a reader is told of an argument
    that is None.

    A mechanism of your own is a subclass in a file of your own: implement ``prepare``,
    ``expected_start`` and ``expected_step``, and the hard pair where hard differs.
    """

    of_the_paper: ClassVar[bool] = False
    none_means: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Do once per utterance what does not depend on the query."""

    @abstractmethod
    def expected_start(self, memory: Memory) -> Shaped[Tensor, "batch *state"]:
        """The state before the first output, for expected attention."""

    @abstractmethod
    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Shaped[Tensor, "batch *state"],
    ) -> Attended:
        """Attend in expectation over all the places where the mechanism could stop."""

    def hard_start(self, memory: Memory) -> Shaped[Tensor, "batch *state"]:
        """The state before the first output, for hard attention."""
        return self.expected_start(memory)

    def hard_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Shaped[Tensor, "batch *state"],
    ) -> Attended:
        """Attend as at test time."""
        return self.expected_step(query, memory, state)

    def learning_rate_factors(self) -> dict[str, float]:
        """Parameters, by name, that learn at a multiple of the model's rate; none by default."""
        return {}

    def begin_update(self, step: int) -> None:
        """Called before each training step with the number of updates made so far.

        Mechanisms with a schedule (the ramp of the pre-sigmoid noise) override it.
        """


AttentionFactory = Callable[[int, int, int], Attention]
"""Builds a mechanism from (memory_dim, query_dim, energy_dim), which the model knows."""


def context_of(
    weights: Float[Tensor, "batch some"],
    memory: Memory,
    entries: Int[Tensor, "batch some"] | None = None,
) -> Float[Tensor, "batch memory_dim"]:
    """c_i = sum_j weights_{i,j} h_j (the paper's eqs. 7 and 26), over all entries or some."""
    values = memory.values if entries is None else memory.at(entries)
    weights = weights.to(values.dtype)  # alignments are float32 even in half precision
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1)
