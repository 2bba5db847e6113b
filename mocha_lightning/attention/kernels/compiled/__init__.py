"""The functions of a backend for float32 on a CPU, compiled by Numba when first imported.

Numba brings its compiler in a wheel, so nothing need be installed beside it; what it has compiled
is kept on disk. The recurrence runs eight entries at a time in vector registers, in float64: each
1 - p then has every digit, and no mass is lost or made over the longest memories.
"""

from mocha_lightning.attention.kernels.compiled.adaptive import adaptive, adaptive_backward
from mocha_lightning.attention.kernels.compiled.chunkwise import chunkwise, chunkwise_backward
from mocha_lightning.attention.kernels.compiled.lookback import lookback, lookback_backward
from mocha_lightning.attention.kernels.compiled.monotonic import monotonic, monotonic_backward
from mocha_lightning.attention.kernels.compiled.tanh_energy import tanh_energy, tanh_energy_backward

__all__ = [
    "adaptive",
    "adaptive_backward",
    "chunkwise",
    "chunkwise_backward",
    "lookback",
    "lookback_backward",
    "monotonic",
    "monotonic_backward",
    "tanh_energy",
    "tanh_energy_backward",
]
