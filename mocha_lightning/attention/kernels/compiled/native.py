"""How a Numba function becomes one that is called with addresses."""

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int64, c_void_p
from pathlib import Path
from typing import Any, cast

from numba import cfunc, config, types

from mocha_lightning.attention.kernels.compiled.keeping import discard_kept, kept_by_content

if config.DISABLE_JIT:
    raise ImportError("Numba is told to compile nothing (NUMBA_DISABLE_JIT)")

Function = Callable[..., int]


def native(integers: int, pointers: int) -> Callable[[Function], Function]:
    """Compile a function of so many int64 and then so many pointers to float32.

    What it gives is called with addresses, at a tenth of what Numba's own call costs. It returns
    the number of rows that it could make nothing of.
    """

    def compiled_function(function: Function) -> Function:
        arguments = [*[types.int64] * integers, *[types.CPointer(types.float32)] * pointers]
        signature = types.int64(*arguments)
        with kept_by_content(Path(__file__).parents[1]) as kept:
            try:
                compiled: Any = cfunc(signature, cache=kept)(function)
            except Exception:  # of a damaged file anything may come; of a full disk, an OSError
                if not kept:
                    raise
                discard_kept()
                compiled = cfunc(signature)(function)
        prototype = CFUNCTYPE(c_int64, *[c_int64] * integers, *[c_void_p] * pointers)
        native: Any = prototype(compiled.address)
        native.keeps_alive = compiled
        return cast(Function, native)

    return compiled_function
