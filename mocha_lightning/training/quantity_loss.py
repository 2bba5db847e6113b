"""The quantity loss: a monotonic head shall stop as often as there are outputs."""

from jaxtyping import Float, Int
from torch import Tensor

from mocha_lightning.lengths import within


def quantity_loss(
    stops: Float[Tensor, "batch outputs"], lengths: Int[Tensor, " batch"]
) -> Float[Tensor, ""]:
    """| sum_i sum_j alpha_{i,j} - U |, averaged over the batch's utterances.

    Introduced for CIF (Dong and Xu 2020) and taken to MoChA by Inaguma et al. (2020). The
    cross-entropy alone lets mass run off the memory's end, where a head has nothing left to stop
    at; this pulls it back. As in the latter's code (github.com/hirofumi0810/neural_sp), U counts
    the end symbol and the difference is not divided by U, so long utterances weigh more.

    Args:
        stops: the expected stops of each output, alpha_{i,:} summed over the memory.
        lengths: U, the number of labels of each utterance. Outputs after it are not counted.
    """
    counted = within(lengths, stops.shape[1])
    return (stops.masked_fill(~counted, 0.0).sum(1) - lengths).abs().mean()
