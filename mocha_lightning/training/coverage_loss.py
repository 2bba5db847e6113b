"""The coverage loss (See et al. 2017)."""

from jaxtyping import Bool, Float
from torch import Tensor


def coverage_loss(
    weights: Float[Tensor, "batch outputs time"],
    coverage: Float[Tensor, "batch outputs time"],
    counted: Bool[Tensor, "batch outputs"],
) -> Float[Tensor, ""]:
    """sum_j min(a_{i,j}, c_{i,j}), averaged over the batch's outputs (their equation 12).

    It costs to attend again to what has been attended to.

    Args:
        weights: a_i, of the attention.
        coverage: c_i, the sum of the weights of the outputs before.
        counted: which outputs are no padding.
    """
    again = weights.minimum(coverage).sum(-1)
    return again[counted].mean()
