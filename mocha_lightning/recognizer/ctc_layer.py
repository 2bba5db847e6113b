"""What CTC puts on an encoder: a distribution over symbols and the blank at each entry."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mocha_lightning.data import Vocabulary
from mocha_lightning.training.ctc_loss import ctc_loss

BLANK = 0
"""Its number among the layer's outputs."""


class CtcLoss(NamedTuple):
    """The loss of a batch.

    Attributes:
        mean: in nats per label, over the utterances whose transcript some path spells.
        labels: how many those have, the end symbol counted.
        unalignable: how many utterances are left out, since no path spells their transcript.
    """

    mean: Float[Tensor, ""]
    labels: Int[Tensor, ""]
    unalignable: Int[Tensor, ""]


class CtcLayer(nn.Module):
    """Symbols and blank of each memory entry (Graves et al. 2006, section 3.1).

    The marks of the start and the end have no output here, so that no path can spell them: output
    k is the vocabulary's symbol number k + EOS. Output 0 is the blank, which in the vocabulary is
    the padding: no transcript holds it, and none is spelled by it.

    Args:
        memory_dim: dim(h_j).
        vocabulary_size: number of the vocabulary's symbols, its three marks counted.
    """

    def __init__(self, memory_dim: int, vocabulary_size: int) -> None:
        super().__init__()
        self.output = nn.Linear(memory_dim, vocabulary_size - Vocabulary.EOS)

    def forward(
        self, memory: Float[Tensor, "batch time memory_dim"]
    ) -> Float[Tensor, "batch time outputs"]:
        """Log-softmax over the outputs at each entry."""
        # Of the parameters' type: under autocast half precision is too coarse.
        logits: Tensor = self.output(memory).to(self.output.weight.dtype)
        return logits.log_softmax(-1)

    def loss(
        self,
        log_probs: Float[Tensor, "batch time outputs"],
        entries: Int[Tensor, " batch"],
        tokens: Int[Tensor, "batch labels"],
        token_lengths: Int[Tensor, " batch"],
    ) -> CtcLoss:
        """The CTC loss of a batch.

        The mean is over as many labels as that of a decoder, which spells the end symbol too, so
        that both are nats of the same transcripts by the same number.

        Args:
            log_probs: what the layer gives.
            entries: memory entries of each utterance.
            tokens: of the vocabulary, with the end symbol.
            token_lengths: labels of each utterance, the end symbol counted.
        """
        symbols = (tokens[:, :-1] - Vocabulary.EOS).clamp_min(BLANK)
        nats, spelled = ctc_loss(log_probs, entries, symbols, token_lengths - 1, BLANK)
        labels = (token_lengths * spelled).sum()
        return CtcLoss(nats.sum() / labels.clamp_min(1), labels, (~spelled).sum())


def in_vocabulary(outputs: Int[Tensor, "..."]) -> Int[Tensor, "..."]:
    """Outputs of the layer as the vocabulary numbers them."""
    return torch.where(outputs == BLANK, Vocabulary.PAD, outputs + Vocabulary.EOS)
