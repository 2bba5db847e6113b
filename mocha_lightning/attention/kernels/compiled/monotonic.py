"""Where a monotonic head stops, in expectation; see ``reference.py``."""

import numpy as np
import torch
from jaxtyping import Float
from numba import carray
from numba.extending import register_jitable
from torch import Tensor

from mocha_lightning.attention.kernels.checks import ROUNDING, refuse_scan
from mocha_lightning.attention.kernels.compiled.exponential import (
    signed_sigmoids,
)
from mocha_lightning.attention.kernels.compiled.native import native
from mocha_lightning.attention.kernels.compiled.vectors import (
    LANES,
    WIDE,
    backward,
    backward_wide,
    forward,
    forward_wide,
)


def monotonic(
    logits: Float[Tensor, "rows time"], previous: Float[Tensor, "rows time"]
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    alpha, select = torch.empty_like(logits), torch.empty_like(logits)
    given = logits.data_ptr(), previous.data_ptr()
    if _monotonic(*logits.shape, *given, alpha.data_ptr(), select.data_ptr()):
        refuse_scan(logits, previous)
    return alpha, select


def monotonic_backward(
    select: Float[Tensor, "rows time"],
    alpha: Float[Tensor, "rows time"],
    grad: Float[Tensor, "rows time"],
) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
    """See ``reference.py``."""
    by_logit, by_previous = torch.empty_like(select), torch.empty_like(select)
    given = select.data_ptr(), alpha.data_ptr(), grad.data_ptr()
    _monotonic_backward(*select.shape, *given, by_logit.data_ptr(), by_previous.data_ptr())
    return by_logit, by_previous


@register_jitable(fastmath={"reassoc"})
def total_and_negative(values):
    """Sum a row, in whatever order is fastest, and count what is well below 0."""
    total, negative = np.float32(0.0), np.float32(0.0)
    for j in range(len(values)):
        total += values[j]
        negative += np.float32(values[j] < -ROUNDING)
    return total, negative


@register_jitable
def probability(signed):
    """P of what :func:`signed_sigmoids` gives, in float64."""
    return 1.0 + np.float64(signed) if np.signbit(signed) else np.float64(signed)


@native(integers=2, pointers=4)
def _monotonic(rows, time, logits, previous, alpha, select):
    wide = time // WIDE
    narrow = (time - wide * WIDE) // LANES
    blocks = wide * WIDE + narrow * LANES
    wrong = 0
    for start in range(0, rows * time, time):
        e = carray(logits, rows * time)[start : start + time]
        v = carray(previous, rows * time)[start : start + time]
        a = carray(alpha, rows * time)[start : start + time]
        p = carray(select, rows * time)[start : start + time]
        signed_sigmoids(e, p)
        total, negative = total_and_negative(v)
        left = forward_wide(select, previous, alpha, start, wide, 0.0)
        left = forward(select, previous, alpha, start + wide * WIDE, narrow, left)
        for j in range(blocks, time):
            reach, chosen = left + v[j], probability(p[j])
            a[j] = chosen * reach
            left = (1.0 - chosen) * reach
        # A comparison with NaN is false; what is NaN anywhere is NaN in what is left.
        wrong += not (left >= 0.0 and total <= 1.0 + ROUNDING and negative == 0)
    return wrong


@native(integers=2, pointers=5)
def _monotonic_backward(rows, time, select, alpha, grad, by_logit, by_previous):
    p = carray(select, rows * time)
    a = carray(alpha, rows * time)
    g = carray(grad, rows * time)
    by_e = carray(by_logit, rows * time)
    by_v = carray(by_previous, rows * time)
    given = select, alpha, grad, by_logit, by_previous
    wide = time // WIDE
    narrow = (time - wide * WIDE) // LANES
    blocks = wide * WIDE + narrow * LANES
    for start in range(0, rows * time, time):
        following = 0.0
        for j in range(start + time - 1, start + blocks - 1, -1):
            chosen = probability(p[j])
            by_e[j] = a[j] * (1.0 - chosen) * (g[j] - following)
            following = chosen * g[j] + (1.0 - chosen) * following
            by_v[j] = following
        following = backward(*given, start + wide * WIDE, narrow, following)
        backward_wide(*given, start, wide, following)
    return 0
