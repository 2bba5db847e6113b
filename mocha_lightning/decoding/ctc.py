"""Searches for the outputs of connectionist temporal classification (Graves et al. 2006).

A path names a symbol or the blank for each memory entry; the sequence it spells is what is left
when repeats are merged and then blanks removed. A sequence's probability is the sum over all paths
that spell it.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Float64, Int, Int64
from numpy import ndarray
from torch import Tensor

from mocha_lightning.errors import NotANumberError
from mocha_lightning.lengths import within


class Spelled(NamedTuple):
    """What a search gives for a batch.

    Attributes:
        tokens: symbols, from ``lengths`` on filled with the blank.
        lengths: how many symbols.
        log_probability: of the path (greedy) or of the paths that the beam held, in nats.
        entries: where it is a path, the first memory entry of each symbol, counted from 0.
    """

    tokens: Int[Tensor, "batch outputs"]
    lengths: Int[Tensor, " batch"]
    log_probability: Float[Tensor, " batch"]
    entries: Int[Tensor, "batch outputs"] | None = None


@torch.no_grad()
def ctc_greedy(
    log_probs: Float[Tensor, "batch time vocabulary"], lengths: Int[Tensor, " batch"], blank: int
) -> Spelled:
    """Spell the likeliest path: the likeliest symbol at each entry.

    Args:
        log_probs: log-softmax over the vocabulary at each memory entry.
        lengths: entries of each utterance.
        blank: the symbol that spells nothing.

    Raises:
        NotANumberError: a score is NaN.
    """
    _refuse_nan(log_probs)
    heard = within(lengths, log_probs.shape[1])
    best, path = log_probs.max(-1)
    before = torch.nn.functional.pad(path[:, :-1], (1, 0), value=blank)
    spelled = (path != blank) & (path != before) & heard
    counts = spelled.sum(1)
    # A stable sort by "spells nothing" moves what is spelled to the front, in its order.
    order = torch.argsort(~spelled, dim=1, stable=True)[:, : int(counts.max())]
    tokens = path.gather(1, order)
    filled = within(counts, tokens.shape[1])
    score = torch.where(heard, best, 0.0).sum(1)
    return Spelled(torch.where(filled, tokens, blank), counts, score, order)


@torch.no_grad()
def ctc_prefix_beam(
    log_probs: Float[Tensor, "batch time vocabulary"],
    lengths: Int[Tensor, " batch"],
    blank: int,
    width: int = 8,
    threshold: float | None = 3.0,
) -> Spelled:
    """Find the likeliest sequence among the prefixes that a beam holds (Hannun et al. 2014).

    At each entry the paths of a prefix end either in its last symbol or in a blank; a symbol that
    repeats the last makes the prefix longer only after a blank. Of equally likely prefixes the one
    found first is held: those held before go first, in their rank, and then lower symbols.

    Args:
        log_probs: log-softmax over the vocabulary at each memory entry.
        lengths: entries of each utterance.
        blank: the symbol that spells nothing.
        width: prefixes held after each entry.
        threshold: prefixes that are so many nats less likely than the best are dropped; None
            drops none.

    Raises:
        NotANumberError: a score is NaN.
        ValueError: a width below 1; a negative threshold.
    """
    if width < 1:
        raise ValueError(f"width must be at least 1, not {width}")
    if threshold is not None and threshold < 0:
        raise ValueError(f"threshold cannot be negative: {threshold}")
    _refuse_nan(log_probs)
    found = [
        _likeliest_prefix(scores[:length], blank, width, threshold)
        for scores, length in zip(log_probs.double().cpu().numpy(), lengths.tolist(), strict=True)
    ]
    counts = torch.tensor([len(prefix) for prefix, _ in found])
    tokens = torch.full((len(found), int(counts.max())), blank)
    for row, (prefix, _) in enumerate(found):
        tokens[row, : len(prefix)] = torch.tensor(prefix, dtype=torch.long)
    scores = torch.tensor([score for _, score in found], dtype=log_probs.dtype)
    device = log_probs.device
    return Spelled(tokens.to(device), counts.to(device), scores.to(device))


class _Held(NamedTuple):
    """The prefixes of a beam, likeliest first, with the log-probabilities of their paths."""

    prefixes: list[tuple[int, ...]]
    after_blank: Float64[ndarray, " held"]
    after_symbol: Float64[ndarray, " held"]

    @property
    def total(self) -> Float64[ndarray, " held"]:
        return np.asarray(np.logaddexp(self.after_blank, self.after_symbol))


def _likeliest_prefix(
    log_probs: Float64[ndarray, "time vocabulary"], blank: int, width: int, threshold: float | None
) -> tuple[tuple[int, ...], float]:
    held = _Held([()], np.zeros(1), np.full(1, -np.inf))
    for scores in log_probs:
        held = _extended(held, scores, blank, width, threshold)
    return held.prefixes[0], float(held.total[0])


def _extended(
    held: _Held,
    scores: Float64[ndarray, " vocabulary"],
    blank: int,
    width: int,
    threshold: float | None,
) -> _Held:
    """The likeliest of every prefix as it is and with each symbol added, after one more entry."""
    count, total = len(held.prefixes), held.total
    last = np.array([prefix[-1] if prefix else blank for prefix in held.prefixes])
    longer = total[:, None] + scores
    rows = np.flatnonzero(last != blank)
    longer[rows, last[rows]] = held.after_blank[rows] + scores[last[rows]]
    longer[:, blank] = -np.inf
    after_symbol = np.where(last == blank, -np.inf, held.after_symbol + scores[last])
    # What makes one held prefix into another adds to the other and is no prefix of its own.
    places = {prefix: row for row, prefix in enumerate(held.prefixes)}
    for row, prefix in enumerate(held.prefixes):
        if prefix and (shorter := places.get(prefix[:-1])) is not None:
            after_symbol[row] = np.logaddexp(after_symbol[row], longer[shorter, prefix[-1]])
            longer[shorter, prefix[-1]] = -np.inf
    parents, symbols = np.nonzero(longer > -np.inf)
    after_blank = np.concatenate([total + scores[blank], np.full(len(parents), -np.inf)])
    after_symbol = np.concatenate([after_symbol, longer[parents, symbols]])
    kept = _likeliest(np.logaddexp(after_blank, after_symbol), width, threshold)
    # Only what is held is spelled out: a beam of 8 has hundreds of longer prefixes.
    prefixes = [
        held.prefixes[k]
        if k < count
        else (*held.prefixes[parents[k - count]], int(symbols[k - count]))
        for k in kept
    ]
    return _Held(prefixes, after_blank[kept], after_symbol[kept])


def _likeliest(
    total: Float64[ndarray, " prefixes"], width: int, threshold: float | None
) -> Int64[ndarray, " kept"]:
    kept = np.argsort(-total, kind="stable")[:width]
    return kept if threshold is None else kept[total[kept] >= total[kept[0]] - threshold]


def _refuse_nan(log_probs: Tensor) -> None:
    if log_probs.isnan().any():
        raise NotANumberError("decoding came to scores that are NaN")
