"""The pointer-generator: words are generated from the vocabulary or copied from the document.

See et al., *Get To The Point: Summarization with Pointer-Generator Networks* (2017), equations 8
and 9, over any attention. Words that the vocabulary lacks have numbers after it, document by
document: the *extended* vocabulary.
"""

from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

LostMass = Literal["generator", "lost"]
"""What becomes of the attention that a monotonic head has not given to any word."""

LEAST_COPIED = 1e-20
"""A probability of copying a word below this counts as this: what only copying can give, and
nothing attends to, costs 46 nats, not infinitely many."""


class Switch(NamedTuple):
    """How the two distributions are mixed at each output, as natural logarithms.

    Attributes:
        generate: what P_vocab is multiplied with.
        copy: what the attention weights are multiplied with.
    """

    generate: Float[Tensor, "*outputs"]
    copy: Float[Tensor, "*outputs"]


class PointerGenerator(nn.Module):
    """P(w) = p_gen P_vocab(w) + (1 - p_gen) sum over the entries j whose word is w of weight_{i,j}.

    p_gen = sigmoid(w_c c_i + w_s s_i + w_x x_i + b), where x_i is the embedding of the last word
    (the rest of the decoder's input is c_i itself).

    Soft attention's weights sum to 1, and so does P. A monotonic head's sum to the mass m_i <= 1
    that has not run off the end of the document, and the copy distribution with them. With
    ``lost_mass="generator"`` the rest goes to the vocabulary: the factor of P_vocab is
    1 - (1 - p_gen) m_i in place of p_gen, so that P sums to 1 whatever the attention, likelihoods
    of all mechanisms are of the same kind, and a head that is off the end leaves plain P_vocab,
    in expectation as in hard decoding (m_i = 0 or 1). With ``"lost"`` the formula stands as it is
    and P sums to p_gen + (1 - p_gen) m_i: in training a penalty on running off the end.

    Args:
        read_dim: dim([s_i; c_i]).
        embedding_dim: dim(x_i).
        lost_mass: where the mass goes that the attention has lost.

    Raises:
        ValueError: another place for the lost mass.
    """

    def __init__(
        self, read_dim: int, embedding_dim: int, lost_mass: LostMass = "generator"
    ) -> None:
        super().__init__()
        if lost_mass not in ("generator", "lost"):
            raise ValueError(f"lost_mass must be 'generator' or 'lost', not {lost_mass!r}")
        self.lost_mass = lost_mass
        self.gate = nn.Linear(read_dim + embedding_dim, 1)

    def forward(
        self,
        reads: Float[Tensor, "*outputs read_dim"],
        embedded: Float[Tensor, "*outputs embedding_dim"],
        mass: Float[Tensor, "*outputs"],
    ) -> Switch:
        """How the distributions are mixed.

        Args:
            reads: [s_i; c_i].
            embedded: x_i.
            mass: m_i, the sum of the attention's weights.
        """
        logits = self.gate(torch.cat([reads, embedded], -1)).squeeze(-1).to(mass.dtype)
        generate, copy = F.logsigmoid(logits), F.logsigmoid(-logits)
        if self.lost_mass == "generator":
            # p_gen + (1 - p_gen) (1 - m_i); weights may sum to a little more than 1 by rounding.
            lost = (1 - mass).clamp_min(torch.finfo(mass.dtype).tiny)
            generate = torch.logaddexp(generate, copy + lost.log())
        return Switch(generate, copy)


def log_likelihood(
    switch: Switch,
    generated: Float[Tensor, "*outputs"],
    copied: Float[Tensor, "*outputs"],
) -> Float[Tensor, "*outputs"]:
    """Log P(w) of one word for each output, without the distribution over all of them.

    Args:
        switch: how the distributions are mixed.
        generated: log P_vocab(w), -inf for a word that the vocabulary lacks.
        copied: the sum of the attention's weights over the entries whose word is w.
    """
    copied = (switch.copy.exp() * copied).clamp_min(LEAST_COPIED)
    return torch.logaddexp(switch.generate + generated, copied.log())


def copied_mass(
    weights: Float[Tensor, "batch outputs words"],
    extended_source: Int[Tensor, "batch words"],
    target: Int[Tensor, "batch outputs"],
) -> Float[Tensor, "batch outputs"]:
    """The sum of each output's weights over the entries whose word is the output's."""
    same = extended_source.unsqueeze(1) == target.unsqueeze(2)
    return (weights * same).sum(-1)


def log_distribution(
    switch: Switch,
    logits: Float[Tensor, "rows vocabulary"],
    weights: Float[Tensor, "rows some"],
    words: Int[Tensor, "rows some"],
    size: int,
) -> Float[Tensor, "rows extended"]:
    """Log P of every word of the extended vocabulary; -inf for a word that cannot come.

    Args:
        switch: how the distributions are mixed.
        logits: of P_vocab.
        weights: of the attention.
        words: the extended numbers of the words that they belong to (repeats are added up).
        size: of the extended vocabulary.
    """
    log_vocabulary = logits.to(weights.dtype).log_softmax(-1)
    # The one tensor of that size beside it; filled and turned into logarithms in place.
    distribution = weights.new_zeros(len(logits), size)
    generated = distribution[:, : logits.shape[1]]
    generated.add_(log_vocabulary).add_(switch.generate.unsqueeze(1)).exp_()
    distribution.scatter_add_(1, words, weights * switch.copy.exp().unsqueeze(1))
    return distribution.log_()
