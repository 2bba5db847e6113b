"""What runs are judged by. Nothing heavy is imported, since reports need it too."""

import math
from dataclasses import dataclass
from typing import Literal

Mode = Literal["min", "max"]


@dataclass(frozen=True)
class Metric:
    """What an experiment is judged by, and whether less or more of it is better."""

    name: str
    mode: Mode

    @property
    def validation(self) -> str:
        """The same metric on the validation split, which chooses the step."""
        return "val/" + self.name.removeprefix("test/").removeprefix("val/")

    @property
    def tested(self) -> bool:
        """Whether it is of the test split; else nobody looks at that split."""
        return self.name.startswith("test/")

    def better(self, value: float, than: float) -> bool:
        """Whether a value beats another; NaN beats nothing and is beaten by every number."""
        if math.isnan(value) or math.isnan(than):
            return not math.isnan(value)
        return value < than if self.mode == "min" else value > than
