"""What all mechanisms with a monotonic head share: the scan and its bookkeeping.

A mechanism adds what it attends to, given where the head stops: one equation in expectation, one
at test time.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.attention.alignment import monotonic_alignment
from mocha_lightning.attention.base import Attended, Attention, Memory, context_of
from mocha_lightning.attention.energy import Keys, LazyKeys, NormalisedEnergy
from mocha_lightning.attention.head import (
    MonotonicHead,
    start_alignment,
    start_position,
)


class ScanningAttention(Attention):
    """Attends to something that depends on where a monotonic head stops.

    Args:
        memory_dim: dim(h_j).
        query_dim: dim(s_{i-1}).
        energy_dim: d, of every energy function.
        offset: initial r of the monotonic energy (the paper: -4 on speech; on summaries -1 for
            hard monotonic attention and 0 for MoChA).
        gain: initial g of every energy; None is the paper's 1/sqrt(d).
        noise_std: standard deviation of the pre-sigmoid noise in training (the paper: 1).
        noise_ramp: training steps over which the noise grows to ``noise_std`` (the paper: 0).
        gain_rate: multiple of the model's learning rate at which every g learns (the paper: 1).

    Raises:
        ValueError: a negative noise, ramp or rate.
    """

    none_means: ClassVar[Mapping[str, str]] = {"gain": "1/sqrt(d)"}

    def __init__(
        self,
        memory_dim: int,
        query_dim: int,
        energy_dim: int,
        *,
        offset: float = -4.0,
        gain: float | None = None,
        noise_std: float = 1.0,
        noise_ramp: int = 0,
        gain_rate: float = 1.0,
    ) -> None:
        super().__init__()
        if gain_rate < 0:
            raise ValueError(f"gain_rate cannot be negative: {gain_rate}")
        self.gain_rate = gain_rate
        self.keys_projected: Literal["once", "lazily"] = "once"
        """When hard attention projects its keys: all once, or each as it is inspected (which
        saves the memory that outputs never come to). It changes nothing but the cost.
        """
        self.head = MonotonicHead(
            memory_dim, query_dim, energy_dim, offset, gain, noise_std, noise_ramp
        )

    @abstractmethod
    def expected_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        logits: Float[Tensor, "batch time"],
        previous: Float[Tensor, "batch time"],
        alpha: Float[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time"]:
        """What is attended to in expectation, given e_i, alpha_{i-1} and alpha_i.

        ``logits`` are e_i with the noise of training, which alpha_i was made of.
        """

    @abstractmethod
    def hard_weights(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch some"], Int[Tensor, "batch some"] | None]:
        """What is attended to at test time, given t_{i-1} and t_i (the length: past the end).

        Returns:
            Weights, all zero where the scan has passed the end, and the entries they belong to;
            None in place of entries: to all of the memory's.
        """

    def learning_rate_factors(self) -> dict[str, float]:
        """The gains'."""
        return {
            f"{name}.g": self.gain_rate
            for name, module in self.named_modules()
            if isinstance(module, NormalisedEnergy)
        }

    def begin_update(self, step: int) -> None:
        """Set the noise of this training step."""
        self.head.begin_update(step)

    def prepare(
        self,
        values: Float[Tensor, "batch time memory_dim"],
        valid: Bool[Tensor, "batch time"],
    ) -> Memory:
        """Project the head's keys, which are the first of the memory's."""
        return Memory(values, valid, (self.project(self.head.energy, values),))

    def project(
        self, energy: NormalisedEnergy, values: Float[Tensor, "batch time memory_dim"]
    ) -> Keys | LazyKeys:
        """The keys of an energy function, as ``keys_projected`` says."""
        return (energy.project if self.keys_projected == "once" else energy.project_lazily)(values)

    def expected_start(self, memory: Memory) -> Float[Tensor, "batch time"]:
        """alpha_0."""
        return start_alignment(memory.values)

    def expected_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Float[Tensor, "batch time"],
    ) -> Attended:
        """alpha_i from alpha_{i-1}, and what is attended to for it."""
        logits = self.head(query, memory.keys[0], memory.valid)
        alpha = monotonic_alignment(logits, state)
        weights = self.expected_weights(query, memory, logits, state, alpha)
        return Attended(context_of(weights, memory), weights, alpha, logits)

    def hard_start(self, memory: Memory) -> Int[Tensor, " batch"]:
        """t_0."""
        return start_position(memory.values)

    def hard_step(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        state: Int[Tensor, " batch"],
    ) -> Attended:
        """Algorithm 1: t_i from t_{i-1}, and what is attended to for it.

        Raises:
            TypeError: the state of expected attention.
        """
        if state.is_floating_point():
            raise TypeError(
                "hard_step goes on from positions, which hard_start and hard_step give, and not "
                f"from expected attention's {state.dtype} state"
            )
        return self.attend(query, memory, state, self.scan(query, memory, state))

    def scan(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        position: Int[Tensor, " batch"],
    ) -> Int[Tensor, " batch"]:
        """The first half of a hard step: t_i, where the head stops at or after ``position``.

        Where it does not it comes to the memory's length. Of a memory that is still growing that
        is no stop yet: once there are more entries the scan goes on from that position.
        """
        return self.head.scan(query, memory.keys[0], memory.lengths, position)

    def attend(
        self,
        query: Float[Tensor, "batch query_dim"],
        memory: Memory,
        previous: Int[Tensor, " batch"],
        stop: Int[Tensor, " batch"],
    ) -> Attended:
        """The second half of a hard step: what is attended to, given t_{i-1} and t_i."""
        weights, entries = self.hard_weights(query, memory, previous, stop)
        context = context_of(weights, memory, entries)
        return Attended(context, weights, stop, entries=entries, stop=stop)

    def oldest_needed(self, previous: int, position: int) -> int:
        """The first memory entry that hard attention may still come back to; by default the first.

        Args:
            previous: t_{i-1}.
            position: how far the scan for t_i has come; no stop lies before it.
        """
        return 0
