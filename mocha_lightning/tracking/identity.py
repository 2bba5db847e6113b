"""What a run is called at W&B, and what it is of: the convention of docs/wandb.md."""

import re
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Identity:
    """What W&B is told of a run before it begins.

    Attributes:
        group: the experiment, or the sweep.
        job_type: the variant, or the trial.
        name: the run's, within its group.
        tags: words to find it by.
        config: the run's whole configuration, nested; W&B shows it as dotted columns.
        metric: the score whose best value counts.
        mode: whether its least or its greatest is best.
    """

    group: str
    job_type: str
    name: str
    tags: tuple[str, ...]
    config: dict[str, Any]
    metric: str
    mode: Literal["min", "max"]

    @property
    def artifact(self) -> str:
        """The name of its checkpoint, of those letters that W&B allows."""
        return re.sub(r"[^\w.-]", "-", f"{self.group}-{self.name}", flags=re.ASCII)
