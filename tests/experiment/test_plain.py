"""Values as JSON has them."""

from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from jsonargparse import Namespace

from mocha_lightning.experiment.plain import plain


class Colour(Enum):
    RED = 1


class Ramp:
    """Keeps one of its two arguments."""

    def __init__(self, steps: int, note: str = "") -> None:
        self.steps = steps


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (Namespace(a=(1, 2.5), b={3: True}), {"a": [1, 2.5], "b": {"3": True}}),
        ({7}, [7]),
        (Colour.RED, "RED"),
        (Path("a") / "b", "a/b"),
        (Path, f"{Path.__module__}.Path"),
        (len, "builtins.len"),
        ({"class_path": "a.B"}, {"class_path": "a.B", "init_args": {}}),
        (Ramp(9), {"class_path": f"{__name__}.Ramp", "init_args": {"steps": 9}}),
    ],
)
def test_a_value_is_what_json_can_have(value: Any, expected: Any) -> None:
    assert plain(value) == expected
