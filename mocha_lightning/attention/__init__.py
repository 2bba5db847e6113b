"""Attention mechanisms, one a file, over one small interface (``base.py``).

Every mechanism is used in the same way, in expectation (training) or hard (testing)::

    attention = MoChA(memory_dim=256, query_dim=128, energy_dim=64, chunk_size=2)
    memory = attention.prepare(values, valid)  # (batch, time, 256), and which entries count
    state = attention.expected_start(memory)  # or hard_start, and then hard_step
    for query in queries:  # s_{i-1}: (batch, 128)
        attended = attention.expected_step(query, memory, state)
        context, state = attended.context, attended.state
"""

from mocha_lightning.attention.adaptive_mocha import AdaptiveMoChA
from mocha_lightning.attention.base import Attended, Attention, AttentionFactory, Memory
from mocha_lightning.attention.coverage import CoverageAttention
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
    "CoverageAttention",
    "LocalMonotonicAttention",
    "MAtChA",
    "MILk",
    "Memory",
    "MoChA",
    "MonotonicAttention",
    "NoAttention",
    "ScanningAttention",
    "SoftAttention",
    "UniformAttention",
    "WindowedAttention",
]
