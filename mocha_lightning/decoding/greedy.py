"""Greedy search: the likeliest symbol at each output."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.errors import NotANumberError

State = TypeVar("State")


class Decoded(NamedTuple):
    """What a search gives for a batch.

    Attributes:
        tokens: symbols, from ``lengths`` on filled with the end symbol.
        lengths: symbols before the end symbol.
        capped: True where no end symbol came before the cap.
        attended: the mass that each step's attention held (0: the context was zero), for the
            steps that were needed, the end symbol's own included; NaN after them.
        stops: t_i of each step that was needed, where a search tells them and the attention has a
            monotonic head: the memory's length past its end, and -1 after those steps.
    """

    tokens: Int[Tensor, "batch outputs"]
    lengths: Int[Tensor, " batch"]
    capped: Bool[Tensor, " batch"]
    attended: Float[Tensor, "batch outputs"]
    stops: Int[Tensor, "batch outputs"] | None = None


@torch.no_grad()
def greedy(
    step: Callable[[Tensor, State], tuple[Tensor, State, Tensor, Tensor | None]],
    state: State,
    caps: Int[Tensor, " batch"],
    start_symbol: int,
    end_symbol: int,
) -> Decoded:
    """Feed each output's likeliest symbol back until the end symbol or the cap.

    An utterance's result does not depend on those beside it in the batch.

    Args:
        step: (symbols, state) -> (logits, next state, attention weights, where a monotonic head
            stopped, if there is one).
        state: before the first output.
        caps: the largest number of symbols of each utterance, at least 1, the end symbol not
            counted.
        start_symbol: y_0.
        end_symbol: what ends a sequence.

    Raises:
        NotANumberError: some symbol's score is NaN.
    """
    symbols = torch.full_like(caps, start_symbol)
    running = torch.ones_like(caps, dtype=torch.bool)
    tokens, masses, stops, unknown = [], [], [], []
    lengths = torch.zeros_like(caps)
    while running.any():
        logits, state, weights, stop = step(symbols, state)
        symbols = torch.where(running, logits.argmax(-1), end_symbol)
        mass = weights.sum(-1)
        unknown.append((logits.isnan().any(-1) & running).any() | mass.isnan().any())
        tokens.append(symbols)
        masses.append(torch.where(running, mass, torch.nan))
        if stop is not None:
            stops.append(torch.where(running, stop, -1))
        running = running & (symbols != end_symbol)
        lengths = lengths + running
        running = running & (lengths < caps)
    if torch.stack(unknown).any():
        raise NotANumberError("decoding came to scores or attention weights that are NaN")
    return Decoded(
        torch.stack(tokens, 1),
        lengths,
        lengths >= caps,
        torch.stack(masses, 1),
        torch.stack(stops, 1) if stops else None,
    )
