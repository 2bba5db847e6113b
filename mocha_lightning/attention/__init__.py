"""Attention mechanisms, one a file, over one small interface (``base.py``)."""

from mocha_lightning.attention.adaptive_mocha import AdaptiveMoChA
from mocha_lightning.attention.base import Attended, Attention, AttentionFactory, Memory
from mocha_lightning.attention.kernels.checks import NotANumberError
from mocha_lightning.attention.local_monotonic import LocalMonotonicAttention
from mocha_lightning.attention.matcha import MAtChA
from mocha_lightning.attention.milk import MILk
from mocha_lightning.attention.mocha import MoChA
from mocha_lightning.attention.monotonic import MonotonicAttention
from mocha_lightning.attention.mta import MTA
from mocha_lightning.attention.no_attention import NoAttention
from mocha_lightning.attention.scanning import ScanningAttention
from mocha_lightning.attention.soft import SoftAttention
from mocha_lightning.attention.uniform import UniformAttention
from mocha_lightning.attention.windowed import WindowedAttention

__all__ = [
    "MTA",
    "AdaptiveMoChA",
    "Attended",
    "Attention",
    "AttentionFactory",
    "LocalMonotonicAttention",
    "MAtChA",
    "MILk",
    "Memory",
    "MoChA",
    "MonotonicAttention",
    "NoAttention",
    "NotANumberError",
    "ScanningAttention",
    "SoftAttention",
    "UniformAttention",
    "WindowedAttention",
]
