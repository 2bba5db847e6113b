"""Beam search: the best of several hypotheses that go on side by side (Appendix A.1, A.2)."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mocha_lightning.decoding.greedy import Decoded
from mocha_lightning.errors import NotANumberError

State = TypeVar("State")


class Hypotheses(NamedTuple):
    """Some sequences for each utterance.

    Attributes:
        log_probabilities: natural, the end symbol's included; -inf: there is no such hypothesis,
            and what its other parts hold means nothing.
        lengths: symbols before the end symbol.
        tokens: symbols, from ``lengths`` on the end symbol.
        attended: the mass that each step's attention held; NaN after the steps that were needed.
    """

    log_probabilities: Float[Tensor, "batch some"]
    lengths: Int[Tensor, "batch some"]
    tokens: Int[Tensor, "batch some outputs"]
    attended: Float[Tensor, "batch some outputs"]

    def select(self, order: Int[Tensor, "batch kept"]) -> "Hypotheses":
        """Some of each utterance's, in the order given (repeats allowed)."""
        utterances = torch.arange(len(order), device=order.device).unsqueeze(1)
        return Hypotheses(*(part[utterances, order] for part in self))

    def without(self, dropped: Bool[Tensor, "batch some"]) -> "Hypotheses":
        """All but some, whose places stay."""
        kept = self.log_probabilities.masked_fill(dropped, -torch.inf)
        return self._replace(log_probabilities=kept)

    def scores(
        self, caps: Int[Tensor, " batch"], divisors: Float[Tensor, " factors"]
    ) -> Float[Tensor, "batch some"]:
        """Scores log P / n^alpha, n factors: the symbols, and the end symbol if it came."""
        factors = self.lengths + (self.lengths < caps.unsqueeze(1))
        return self.log_probabilities / divisors[factors]


class Searched(NamedTuple):
    """What a beam search gives for a batch.

    Attributes:
        best: the hypothesis with the highest score, as greedy search would give it.
        log_probabilities: its log-probability, the end symbol's included.
        ended: all hypotheses that had ended when it was known that none could beat the best, at
            most ``width`` of them, the best first.
        scores: what they are ordered by.
    """

    best: Decoded
    log_probabilities: Float[Tensor, " batch"]
    ended: Hypotheses
    scores: Float[Tensor, "batch some"]


@torch.no_grad()
def beam(
    step: Callable[[Tensor, State, Tensor], tuple[Tensor, State, Tensor]],
    select: Callable[[State, Tensor], State],
    state: State,
    caps: Int[Tensor, " batch"],
    start_symbol: int,
    end_symbol: int,
    *,
    width: int = 8,
    threshold: float | None = 3.0,
    length_normalization: float = 0.0,
) -> Searched:
    """Continue the likeliest hypotheses of each utterance until none can become its best.

    All live hypotheses have the same length. At each output, of all their continuations by one
    symbol, the ``width`` likeliest are kept (rank pruning). Those that the end symbol or the cap
    has ended compete with the others from then on, but take none of the next output's places.
    Then every hypothesis, ended or not, is dropped whose log-probability is more than
    ``threshold`` below the highest. Of the ended, the ``width`` with the highest scores are kept,
    and the first of them is the result. The score is log P / n^alpha, n being the number of
    symbols, the end symbol included; all else compares log P itself, whatever alpha is.

    Of equals, first comes what ended earlier, then what continues the better hypothesis, then the
    lower symbol. With a width of 1 it is greedy search. An utterance's result does not depend on
    those beside it in the batch.

    Args:
        step: (symbols, state, utterances) -> (logits, next state, attention weights), a row for
            each live hypothesis of any utterance; ``utterances`` says whose it is. Rows are
            ordered by utterance, and an utterance that has its result has none.
        select: (state, rows) -> the state of some rows, in the order given, with repeats.
        state: before the first output, a row for each utterance.
        caps: the largest number of symbols of each utterance, at least 1, the end symbol not
            counted.
        start_symbol: y_0.
        end_symbol: what ends a sequence.
        width: hypotheses kept for each utterance (the paper: 8).
        threshold: nats that a hypothesis may lie below the best (the paper: 3, whose unit it does
            not say); None is no such limit.
        length_normalization: alpha (the paper has none: 0).

    Raises:
        ValueError: a width below 1; a negative threshold or alpha.
        NotANumberError: some symbol's score is NaN, or +inf, or all are -inf.
    """
    if width < 1:
        raise ValueError(f"width must be at least 1, not {width}")
    if threshold is not None and not threshold >= 0:
        raise ValueError(f"threshold cannot be negative: {threshold}")
    if not length_normalization >= 0:
        raise ValueError(f"length_normalization cannot be negative: {length_normalization}")
    live, ended = _of_no_symbols(caps, 0.0), _of_no_symbols(caps, -torch.inf)
    symbols = torch.full_like(live.lengths, start_symbol)
    running = torch.ones_like(symbols, dtype=torch.bool)
    # One by one: what torch makes of a power depends in its last bit on how many it makes at once.
    divisors = torch.tensor(
        [n**length_normalization for n in range(int(caps.max()) + 1)],
        dtype=torch.double,
        device=caps.device,
    )
    unknown = []
    while len(places := torch.nonzero(running)):
        utterances, ranks = places.unbind(1)
        logits, state, weights = step(symbols[utterances, ranks], state, utterances)
        mass = weights.sum(-1)
        gains, choices = _likeliest(logits, width)
        unknown.append(~(gains[:, 0] > -torch.inf).all() | mass.isnan().any())
        live, rows = _continued(live, places, gains, choices, mass, end_symbol, width)
        symbols = live.tokens[:, :, -1]

        at_end = (symbols == end_symbol) | (live.lengths == caps.unsqueeze(1))
        ended = _joined(ended, live.without(~at_end), end_symbol)
        highest = torch.maximum(live.log_probabilities[:, 0], ended.log_probabilities.amax(1))
        least = highest.unsqueeze(1) - (torch.inf if threshold is None else threshold)
        ended, scores = _kept(ended, least, caps, divisors, width)

        # A log-probability only falls as a hypothesis goes on, and no sequence has more factors
        # than the cap: what comes of a live hypothesis scores log P / cap^alpha at most. Where
        # that is no more than the best score so far, it can be dropped, and so can whatever it
        # kept from being taken, which is no likelier. An utterance is done when none is left.
        promising = live.log_probabilities / divisors[caps].unsqueeze(1) > scores[:, :1]
        running = promising & (live.log_probabilities >= least) & ~at_end
        state = select(state, rows[running])
    if torch.stack(unknown).any():
        raise NotANumberError("decoding came to scores or attention weights that are NaN")
    length = ended.lengths[:, 0]
    return Searched(
        Decoded(ended.tokens[:, 0], length, length >= caps, ended.attended[:, 0]),
        ended.log_probabilities[:, 0],
        ended,
        ended.scores(caps, divisors),
    )


def _of_no_symbols(caps: Int[Tensor, " batch"], log_probability: float) -> Hypotheses:
    """One hypothesis for each utterance."""
    lengths = torch.zeros_like(caps).unsqueeze(1)
    nothing = lengths.new_empty(len(caps), 1, 0)
    given = torch.full_like(lengths, log_probability, dtype=torch.double)
    return Hypotheses(given, lengths, nothing, nothing.float())


def _likeliest(
    logits: Float[Tensor, "rows vocabulary"], count: int
) -> tuple[Float[Tensor, "rows some"], Int[Tensor, "rows some"]]:
    """Log-probabilities of the likeliest symbols, and the symbols; of equals the lower first.

    Logits are compared as they are, so that rounding makes no two of them equal. (Of equals,
    topk takes any; a stable sort is 7 times slower than this with a vocabulary of 50,000.)
    """
    left, found = logits.clone(), []
    for _ in range(min(count, logits.shape[1])):
        best = left.max(dim=1, keepdim=True)
        found.append(best)
        left.scatter_(1, best.indices, -torch.inf)
    values, symbols = (torch.cat(parts, 1) for parts in zip(*found, strict=True))
    gains = torch.log_softmax(logits, 1, dtype=torch.double).gather(1, symbols)
    # Where the possible symbols have run out, the first has been found again.
    return gains.masked_fill(values == -torch.inf, -torch.inf), symbols


def _continued(
    live: Hypotheses,
    places: Int[Tensor, "rows 2"],
    gains: Float[Tensor, "rows some"],
    choices: Int[Tensor, "rows some"],
    mass: Float[Tensor, " rows"],
    end_symbol: int,
    width: int,
) -> tuple[Hypotheses, Int[Tensor, "batch kept"]]:
    """Rank pruning: the likeliest continuations by one symbol of each utterance's hypotheses.

    Args:
        live: the hypotheses so far.
        places: utterance and rank of those that go on, a row of the decoder's each.
        gains: log-probabilities of each row's likeliest symbols.
        choices: those symbols.
        mass: that each row's attention held.
        end_symbol: what ends a sequence.
        width: continuations kept for each utterance.

    Returns:
        The likeliest continuations, the likeliest first, and the row that each one continues.
    """
    utterances, ranks = places.unbind(1)
    # An utterance's candidates lie side by side in the order in which equals are to be taken.
    totals = gains.new_full((*live.lengths.shape, gains.shape[1]), -torch.inf)
    totals[utterances, ranks] = live.log_probabilities[utterances, ranks, None] + gains
    ranked = totals.flatten(1).sort(dim=1, descending=True, stable=True)
    log_probabilities, taken = ranked.values[:, :width], ranked.indices[:, :width]
    parents, choice = taken // gains.shape[1], taken % gains.shape[1]
    rows = torch.zeros_like(live.lengths)
    rows[utterances, ranks] = torch.arange(len(places), device=rows.device)
    rows = rows.gather(1, parents)
    symbols = choices[rows, choice]
    live = live.select(parents)
    continued = Hypotheses(
        log_probabilities,
        live.lengths + (symbols != end_symbol),
        torch.cat([live.tokens, symbols.unsqueeze(2)], 2),
        torch.cat([live.attended, mass[rows].unsqueeze(2)], 2),
    )
    return continued, rows


def _kept(
    ended: Hypotheses,
    least: Float[Tensor, "batch 1"],
    caps: Int[Tensor, " batch"],
    divisors: Float[Tensor, " factors"],
    width: int,
) -> tuple[Hypotheses, Float[Tensor, "batch kept"]]:
    """Of what has ended and is likely enough, the highest scores, the highest first; and these.

    Args:
        ended: whatever has.
        least: the log-probability below which a hypothesis is dropped.
        caps: the largest number of symbols of each utterance.
        divisors: n^alpha by n.
        width: hypotheses kept for each utterance.
    """
    ended = ended.without(ended.log_probabilities < least)
    scores = ended.scores(caps, divisors).sort(dim=1, descending=True, stable=True)
    return ended.select(scores.indices[:, :width]), scores.values[:, :width]


def _joined(ended: Hypotheses, others: Hypotheses, end_symbol: int) -> Hypotheses:
    """Hypotheses beside others that are one output longer."""
    padded = Hypotheses(
        ended.log_probabilities,
        ended.lengths,
        F.pad(ended.tokens, (0, 1), value=end_symbol),
        F.pad(ended.attended, (0, 1), value=torch.nan),
    )
    return Hypotheses(*(torch.cat(pair, 1) for pair in zip(padded, others, strict=True)))
