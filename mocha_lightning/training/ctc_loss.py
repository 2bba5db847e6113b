"""The loss of connectionist temporal classification (Graves et al. 2006)."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


def alignable(
    symbols: Int[Tensor, "batch outputs"],
    lengths: Int[Tensor, " batch"],
    entries: Int[Tensor, " batch"],
) -> Bool[Tensor, " batch"]:
    """Whether some path spells each transcript.

    A path needs an entry for each symbol, and one for the blank between a symbol and its repeat.

    Args:
        symbols: of each transcript.
        lengths: number of symbols of each.
        entries: memory entries of each utterance.
    """
    pairs = torch.arange(1, symbols.shape[1], device=symbols.device) < lengths.unsqueeze(1)
    repeats = ((symbols[:, 1:] == symbols[:, :-1]) & pairs).sum(1)
    return lengths + repeats <= entries


def ctc_loss(
    log_probs: Float[Tensor, "batch time outputs"],
    entries: Int[Tensor, " batch"],
    symbols: Int[Tensor, "batch labels"],
    lengths: Int[Tensor, " batch"],
    blank: int,
) -> tuple[Float[Tensor, " batch"], Bool[Tensor, " batch"]]:
    """-log P(transcript), P being the sum over all paths that spell it.

    It is computed on the CPU wherever the model is: on a GPU the backward pass of PyTorch's own
    kernel adds up in any order, which it refuses to do where results must repeat, and cuDNN's
    takes only batches of utterances of one length. What moves is the log-probabilities.

    Args:
        log_probs: log-softmax over symbols and blank at each memory entry.
        entries: memory entries of each utterance.
        symbols: of each transcript.
        lengths: number of symbols of each.
        blank: the output that spells nothing.

    Returns:
        The loss of each utterance in nats, and which utterances are :func:`alignable`. That of
        the others, which no path spells, would be infinite: they get 0, and no gradient.
    """
    spelled = alignable(symbols, lengths, entries)
    # An empty transcript can be spelled by any utterance, so no gradient comes to 0 times NaN.
    nats = F.ctc_loss(
        log_probs.cpu().transpose(0, 1),
        symbols.cpu(),
        entries.cpu(),
        torch.where(spelled, lengths, 0).cpu(),
        blank,
        reduction="none",
    ).to(log_probs.device)
    return torch.where(spelled, nats, 0.0), spelled
