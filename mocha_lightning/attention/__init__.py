"""Attention mechanisms, one a file, over one small interface (``base.py``).

Every mechanism is used in the same way, in expectation (training) or hard (testing)::

    attention = MoChA(memory_dim=256, query_dim=128, energy_dim=64, chunk_size=2)
    memory = attention.prepare(values, valid)  # (batch, time, 256), and which entries count
    state = attention.expected_start(memory)  # or hard_start, and then hard_step
    for query in queries:  # s_{i-1}: (batch, 128)
        attended = attention.expected_step(query, memory, state)
        context, state = attended.context, attended.state
"""

from mocha_lightning.attention.base import Attended, Attention, AttentionFactory, Memory
from mocha_lightning.attention.mocha import MoChA
from mocha_lightning.attention.monotonic import MonotonicAttention
from mocha_lightning.attention.soft import SoftAttention

__all__ = [
    "Attended",
    "Attention",
    "AttentionFactory",
    "Memory",
    "MoChA",
    "MonotonicAttention",
    "SoftAttention",
]
