"""Which of a run's processes this is, as Lightning must know it."""

from datetime import timedelta

import torch
from pytorch_lightning.plugins.environments import ClusterEnvironment  # type: ignore[attr-defined]
from torch import distributed
from torch.distributed import TCPStore  # type: ignore[attr-defined]

HOST = "127.0.0.1"
"""All processes of a run are on one machine."""
PATIENCE = timedelta(minutes=30)
"""How long a process waits for another that neither comes nor ends."""


class Membership(ClusterEnvironment):
    """One of the processes that a run has begun itself.

    Args:
        process: which one, counted from 0; the first writes all files.
        processes: in all.
    """

    creates_processes_externally = True
    main_address = HOST
    main_port = 0  # not asked for: the processes have met before a Trainer looks

    def __init__(self, process: int, processes: int) -> None:
        self.process = process
        self.processes = processes

    @staticmethod
    def detect() -> bool:
        """Nothing but this package makes one."""
        return False

    def world_size(self) -> int:
        """All of them."""
        return self.processes

    def set_world_size(self, size: int) -> None:
        """It is known."""

    def global_rank(self) -> int:
        """Which one this is."""
        return self.process

    def set_global_rank(self, rank: int) -> None:
        """It is known."""

    def local_rank(self) -> int:
        """The same on this machine, where all are."""
        return self.process

    def node_rank(self) -> int:
        """Of the only machine."""
        return 0

    def meet(self, store: TCPStore, device: torch.device) -> None:
        """Wait for all processes.

        Args:
            store: where they find each other.
            device: that this one computes on.
        """
        on_gpu = device.type == "cuda"
        distributed.init_process_group(
            "nccl" if on_gpu else "gloo",
            store=store,
            rank=self.process,
            world_size=self.processes,
            timeout=PATIENCE,
            device_id=device if on_gpu else None,
        )


ALONE = Membership(0, 1)
"""The only process of a run."""
