"""How a process of a run computes."""

import os

import torch


def pin(threads: int) -> None:
    """One way to compute: so many threads, and no kernel whose sums come in any order."""
    torch.set_num_threads(threads)
    # Attention mass that runs off the end vanishes step by step; computed with numbers too small
    # for a processor's fast path, a training step takes up to twice as long.
    torch.set_flush_denormal(True)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
