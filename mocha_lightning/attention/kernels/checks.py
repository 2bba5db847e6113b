"""What no recurrence can be computed of, said in a line. Looked for in detail once it is there."""

import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.errors import NotANumberError

ROUNDING = 0.01
"""By how much a distribution's probabilities may sum to more than 1, or lie below 0: in half
precision they do."""


def refuse_scan(logits: Float[Tensor, "rows time"], previous: Float[Tensor, "rows time"]) -> None:
    """Raise for what makes a scan impossible.

    Raises:
        NotANumberError: a NaN among the logits or in the previous alignment.
        ValueError: the previous alignment is no distribution.
    """
    _refuse_where(logits.isnan(), "the logits are NaN")
    _refuse_where(previous.isnan(), "the previous alignment is NaN")
    for row in torch.nonzero(
        ((previous < -ROUNDING).any(1)) | (previous.sum(1) > 1 + ROUNDING)
    ).flatten():
        least, total = previous[row].min().item(), previous[row].sum().item()
        raise ValueError(
            f"the previous alignment is no distribution in row {row.item()} of {len(previous)}: "
            f"its least entry is {least:.3g} and its sum {total:.6g}"
        )


def refuse_chunks(alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"]) -> None:
    """Raise for energies of which there is no softmax, and for weights that are no numbers.

    Raises:
        NotANumberError: an alpha that is not finite; an energy that is NaN or +inf.
    """
    _refuse_where(~alpha.isfinite(), "alpha is not finite")
    _refuse_where(energies.isnan() | (energies == torch.inf), "the chunk energies are NaN or +inf")


def _refuse_where(wrong: Tensor, said: str) -> None:
    if wrong.any():
        row, entry = torch.nonzero(wrong)[0].tolist()
        rows, time = wrong.shape
        raise NotANumberError(f"{said} in row {row} of {rows} at entry {entry} of {time}")
