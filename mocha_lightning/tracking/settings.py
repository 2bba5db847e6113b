"""Where W&B keeps a run, and whether it does."""

import os
from dataclasses import dataclass

MODES = ("auto", "online", "offline", "disabled")
PROJECT = "mocha-lightning"


@dataclass(frozen=True)
class WandbSettings:
    """What a command was told of W&B; what it was not is as W&B's own variables have it.

    Attributes:
        mode: one of ``MODES``; auto is WANDB_MODE, else online where there is a login.
        project: else WANDB_PROJECT, else this package's name.
        entity: a user or a team; else WANDB_ENTITY, else who is logged in.
        checkpoints: whether the best checkpoint is uploaded, too.
    """

    mode: str = "auto"
    project: str | None = None
    entity: str | None = None
    checkpoints: bool = False

    @property
    def wanted_mode(self) -> str:
        """The mode, the variable being looked at."""
        return (os.environ.get("WANDB_MODE") or "online") if self.mode == "auto" else self.mode

    @property
    def off(self) -> bool:
        """Whether W&B is to know nothing of a run: what takes seconds for it can be left out."""
        return self.wanted_mode == "disabled"

    @property
    def wanted_project(self) -> str:
        """The project, the variable being looked at."""
        return self.project or os.environ.get("WANDB_PROJECT") or PROJECT


DISABLED = WandbSettings("disabled")
