"""tanh and exp in float32 that LLVM turns into vector instructions, for Numba to compile.

A call of the C library for each number would cost more than all the rest of an energy, and soft
attention, which computes the most of them, would look worse than it is.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy import float32

from mocha_lightning.attention.kernels.compiled.keeping import kept_by_content


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of this benchmark when it is first called."""
    with kept_by_content(Path(__file__).parent) as kept:
        native: Callable[..., Any] = njit(
            cache=kept,
            # A division by zero raises nothing, and loops with a division become vectors.
            error_model="numpy",
            # Sums in any order, fused products; but no approximate division.
            fastmath={"reassoc", "contract", "nsz", "nnan", "ninf"},
        )(function)
    return native


@compiled
def tanh(x):
    """The tangent of Eigen, the library that the paper uses: a rational function within 1e-6.

    Odd powers up to 13 over even ones up to 6, with the coefficients of Eigen's
    ``generic_fast_tanh_float`` (MathFunctionsImpl.h); beyond 9 it is 1 in float32.
    """
    x = max(float32(-9.0), min(float32(9.0), x))
    square = x * x
    over = float32(-2.76076847742355e-16)
    over = over * square + float32(2.00018790482477e-13)
    over = over * square + float32(-8.60467152213735e-11)
    over = over * square + float32(5.12229709037114e-08)
    over = over * square + float32(1.48572235717979e-05)
    over = over * square + float32(6.37261928875436e-04)
    over = over * square + float32(4.89352455891786e-03)
    under = float32(1.19825839466702e-06)
    under = under * square + float32(1.18534705686654e-04)
    under = under * square + float32(2.26843463243900e-03)
    under = under * square + float32(4.89352518554385e-03)
    return x * over / under


@compiled
def exp_below_1(x):
    """The exponential of x <= 0, of which it loses less than 1e-6: ``expf`` of the Cephes library.

    exp(x) = 2^n exp(r) with a whole n and abs(r) <= log(2) / 2, where a polynomial is enough, and
    2^n is made by its bits. Below -87, where float32 ends, it is exp(-87).
    """
    x = max(float32(-87.0), x)
    n = np.floor(x * float32(1.44269504088896341) + float32(0.5))
    # log(2) in two parts, the first of few bits, so that their products lose none.
    r = x - n * float32(0.693359375)
    r = r - n * float32(-2.12194440e-4)
    p = float32(1.9875691500e-4)
    p = p * r + float32(1.3981999507e-3)
    p = p * r + float32(8.3334519073e-3)
    p = p * r + float32(4.1665795894e-2)
    p = p * r + float32(1.6666665459e-1)
    p = p * r + float32(5.0000001201e-1)
    p = p * r * r + r + float32(1.0)
    power = np.int32((np.int32(n) + np.int32(127)) << np.int32(23))
    return p * power.view(np.float32)
