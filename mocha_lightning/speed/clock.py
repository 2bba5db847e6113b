"""The time, read within compiled code, so that no call from Python is part of what is measured."""

import time
from typing import Any

from numba import types

from mocha_lightning.speed.arithmetic import compiled

# The C library's. Declared by its name, which the compiled code keeps: an address would not last
# from one process to the next, and Numba could not keep the code.
_clock_gettime: Any = types.ExternalFunction(
    "clock_gettime", types.intc(types.intc, types.CPointer(types.int64))
)
MONOTONIC = time.CLOCK_MONOTONIC


@compiled
def nanoseconds(reading):
    """Now, on a clock that is never set back.

    Args:
        reading: two int64 for the clock to write to.
    """
    _clock_gettime(MONOTONIC, reading.ctypes)
    return reading[0] * 1_000_000_000 + reading[1]
