"""Which of a run's processes this is, as Lightning must know it."""

from datetime import timedelta

import torch
from pytorch_lightning.plugins.environments import ClusterEnvironment  # type: ignore[attr-defined]
from torch import distributed
from torch.distributed import TCPStore  # type: ignore[attr-defined]

PATIENCE = timedelta(minutes=30)
"""How long a process waits for another that neither comes nor ends."""


class Membership(ClusterEnvironment):
    """One of the processes that a run has begun itself.

    Args:
        process: which one, counted from 0, node by node; the first writes all files.
        devices: processes of each node.
        nodes: machines that do the run together.
    """

    creates_processes_externally = True
    # Not asked for: the processes have met before a Trainer looks.
    main_address = ""
    main_port = 0

    def __init__(self, process: int, devices: int, nodes: int = 1) -> None:
        self.process = process
        self.devices = devices
        self.nodes = nodes

    @property
    def processes(self) -> int:
        """In all."""
        return self.nodes * self.devices

    def of_node(self, node: int) -> list["Membership"]:
        """Those of a node, which is counted from 0."""
        numbers = range(node * self.devices, (node + 1) * self.devices)
        return [Membership(number, self.devices, self.nodes) for number in numbers]

    def __str__(self) -> str:
        """How people speak of it."""
        return f"process {self.process + 1} of {self.processes}"

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
        """Which one of its node."""
        return self.process % self.devices

    def node_rank(self) -> int:
        """Which node."""
        return self.process // self.devices

    def meet(self, store: TCPStore, device: torch.device) -> None:
        """Wait for all processes.

        Args:
            store: where they find each other.
            device: that this one computes on.
        """
        on_gpu = device.type == "cuda"
        if on_gpu:
            # What processes tell each other before Lightning sets it goes over this device, too.
            torch.cuda.set_device(device)
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
