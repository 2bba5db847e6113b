"""The recurrences of monotonic attention, as pure functions, exact in float32.

Shapes: ``...`` any leading axes (batch, heads), ``time`` the memory's axis, w the chunk size.

The paper writes the expected alignment with cumulative products and a division by them. Those
products vanish within a few dozen entries, and a clamp on them silently loses attention mass. The
recurrence underneath is linear and of first order, and is solved here as such: nothing is divided
and nothing subtracted but a probability from 1. Half precision is raised to float32: in bfloat16,
ten outputs lose about 1 % of the mass.

Each function works without gradients, under autocast, and within ``torch.compile``, which sees it
as one operator (``kernels/operators.py``); it may be differentiated once, and refuses to be
differentiated twice. On a CPU it costs nothing to look for
NaN, so it is done there; on a GPU it would have every step wait, so there NaN gives NaN.
"""

from mocha_lightning.attention.alignment.adaptive import adaptive_chunkwise_alignment
from mocha_lightning.attention.alignment.chunkwise import chunkwise_alignment
from mocha_lightning.attention.alignment.lookback import lookback_alignment
from mocha_lightning.attention.alignment.monotonic import monotonic_alignment, reach_probability

__all__ = [
    "adaptive_chunkwise_alignment",
    "chunkwise_alignment",
    "lookback_alignment",
    "monotonic_alignment",
    "reach_probability",
]
