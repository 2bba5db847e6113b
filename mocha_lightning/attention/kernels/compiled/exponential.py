"""Exponentials and tanh in float32, for Numba to make vector instructions of.

``numpy.exp`` in a compiled loop calls a function for each number, which no vectoriser can undo.
"""

import numpy as np
from numba.extending import register_jitable

vectorised = register_jitable(error_model="numpy", fastmath={"contract"})
"""For loops that are to become vector instructions: nothing in them asks what is divided by, and a
product may be added without being rounded first."""

_LOWEST, _HIGHEST = np.float32(-88.0), np.float32(89.0)
"""Where float32's exponential is 0 and infinite, and a power of 2 still fits into its bits."""
_LOG2_E = np.float32(1.44269504)
_LN2, _LN2_REST = np.float32(0.693359375), np.float32(-2.12194440e-4)
"""ln 2, in a number whose multiples by whole numbers are exact, and what that lacks."""
_WHOLE = np.float32(1.5 * 2**23)
"""Added to a small number, it leaves no room for digits after the point."""


@vectorised
def exp(x):
    """e^x = 2^n e^r with n whole and |r| <= ln(2) / 2, to a float32's last digit (1.2e-7).

    Cephes' polynomial for e^r (S. Moshier, *Methods and Programs for Mathematical Functions*,
    1989). Numbers below the smallest normal one may be given as 0; NaN gives NaN.
    """
    return exp_below_1(_HIGHEST if x > _HIGHEST else x)


@vectorised
def exp_below_1(x):
    """The same of an x that is not above 0, or not by much."""
    x = _LOWEST if x < _LOWEST else x
    shifted = np.float32(x * _LOG2_E + _WHOLE)
    n = shifted - _WHOLE
    r = x - n * _LN2
    r = r - n * _LN2_REST
    y = np.float32(1.9875691500e-4)
    y = y * r + np.float32(1.3981999507e-3)
    y = y * r + np.float32(8.3334519073e-3)
    y = y * r + np.float32(4.1665795894e-2)
    y = y * r + np.float32(1.6666665459e-1)
    y = y * r + np.float32(5.0000001201e-1)
    y = y * (r * r) + r + np.float32(1.0)
    # n stands in the lowest bits of what it was added to; a float's exponent has an offset of 127.
    exponent = np.int32((shifted.view(np.int32) + 127) << 23)
    return y * exponent.view(np.float32)


@vectorised
def sigmoids(logits, found):
    """1 / (1 + e^-x) of each number, exactly 0 or 1 where x is infinite."""
    for j in range(len(found)):
        found[j] = np.float32(1.0) / (np.float32(1.0) + exp(-logits[j]))


@vectorised
def signed_sigmoids(logits, found):
    """The same, and negative, less 1, where x is not: each then has its digits near 1 too.

    Of an infinite x it is -0.
    """
    for j in range(len(found)):
        small = exp_below_1(-abs(logits[j]))
        small = small / (np.float32(1.0) + small)
        found[j] = small if logits[j] < 0 else -small


@vectorised
def exponentials(energies, found):
    """e^(u - max u) of each energy; of -inf alone, zeros; of NaN or +inf, NaN somewhere."""
    peak = _largest(energies)
    for j in range(len(found)):
        found[j] = exp_below_1(energies[j] - peak)


@register_jitable(fastmath={"nnan", "nsz"})
def _largest(values):
    largest = np.finfo(np.float32).min
    for j in range(len(values)):
        largest = max(largest, values[j])
    return largest


_SATURATED = np.float32(9.01)
"""Where tanh is 1 to float32's last digit."""


@vectorised
def tanh(x):
    """Tanh to 3e-7: x P(x^2) / Q(x^2), whose coefficients are this range's best to 2e-8."""
    x = -_SATURATED if x < -_SATURATED else x
    x = _SATURATED if x > _SATURATED else x
    s = x * x
    p = np.float32(1.3336975796454811e-08)
    p = p * s + np.float32(2.0596376735294552e-05)
    p = p * s + np.float32(0.0034948177634409497)
    p = p * s + np.float32(0.13380377399739868)
    p = p * s + np.float32(0.9999999792455564)
    q = np.float32(7.769338411523581e-07)
    q = q * s + np.float32(0.0003284373879810121)
    q = q * s + np.float32(0.025874052761800333)
    q = q * s + np.float32(0.4671369282442564)
    q = q * s + np.float32(1.0)
    return x * p / q
