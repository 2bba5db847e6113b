"""The inner loops behind ``alignment/`` and ``energy.py``, one set for each kind of device.

``backend_for`` is the only place that chooses. A backend knows of recurrences and windows, not of
mechanisms.
"""

from typing import Protocol

import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention.kernels import reference


class Backend(Protocol):
    """The functions that a backend has; ``reference.py`` says what each of them does."""

    def monotonic(
        self, logits: Float[Tensor, "rows time"], previous: Float[Tensor, "rows time"]
    ) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
        """Alpha, and p in the form that the way back needs, from logits and the previous alpha."""

    def monotonic_backward(
        self,
        select: Float[Tensor, "rows time"],
        alpha: Float[Tensor, "rows time"],
        grad: Float[Tensor, "rows time"],
    ) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
        """Gradients by the logits and by the previous alpha."""

    def chunkwise(
        self,
        alpha: Float[Tensor, "rows time"],
        energies: Float[Tensor, "rows time"],
        chunk_size: int,
    ) -> Float[Tensor, "rows time"]:
        """Beta from alpha and chunk energies."""

    def chunkwise_backward(
        self,
        alpha: Float[Tensor, "rows time"],
        energies: Float[Tensor, "rows time"],
        chunk_size: int,
        grad: Float[Tensor, "rows time"],
    ) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
        """Gradients by alpha and by the energies."""

    def lookback(
        self, alpha: Float[Tensor, "rows time"], energies: Float[Tensor, "rows time"]
    ) -> Float[Tensor, "rows time"]:
        """Beta from alpha and energies."""

    def lookback_backward(
        self,
        alpha: Float[Tensor, "rows time"],
        energies: Float[Tensor, "rows time"],
        grad: Float[Tensor, "rows time"],
    ) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
        """Gradients by alpha and by the energies."""

    def adaptive(
        self,
        logits: Float[Tensor, "rows time"],
        energies: Float[Tensor, "rows time"],
        previous: Float[Tensor, "rows time"],
    ) -> Float[Tensor, "rows time"]:
        """Beta from logits, energies and the previous alpha."""

    def adaptive_backward(
        self,
        logits: Float[Tensor, "rows time"],
        energies: Float[Tensor, "rows time"],
        previous: Float[Tensor, "rows time"],
        grad: Float[Tensor, "rows time"],
    ) -> tuple[Float[Tensor, "rows time"], Float[Tensor, "rows time"], Float[Tensor, "rows time"]]:
        """Gradients by the logits, by the energies and by the previous alpha."""

    def tanh_energy(
        self,
        projected: Float[Tensor, "rows time dim"],
        shift: Float[Tensor, "rows dim"],
        direction: Float[Tensor, " dim"],
    ) -> Float[Tensor, "rows time"]:
        """Energies from keys, query and v."""

    def tanh_energy_backward(
        self,
        projected: Float[Tensor, "rows time dim"],
        shift: Float[Tensor, "rows dim"],
        direction: Float[Tensor, " dim"],
        grad: Float[Tensor, "rows time"],
    ) -> tuple[Float[Tensor, "rows time dim"], Float[Tensor, "rows dim"], Float[Tensor, " dim"]]:
        """Gradients of an energy by keys, query and v."""


FASTEST: dict[str, Backend] = {}
"""Backends for float32, by kind of device."""

try:
    from mocha_lightning.attention.kernels import compiled
except ImportError:  # no Numba for this Python or this processor
    pass
else:
    FASTEST["cpu"] = compiled

try:
    from mocha_lightning.attention.kernels import cuda
except ImportError:  # builds of PyTorch for other devices come without Triton
    pass
else:
    FASTEST["cuda"] = cuda


def backend_for(tensor: Tensor) -> Backend:
    """The fastest backend for a tensor's device and type."""
    if tensor.dtype == torch.float32:
        return FASTEST.get(tensor.device.type, reference)
    return reference
