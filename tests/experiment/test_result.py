"""What counts as the result of a run."""

import json
from pathlib import Path
from typing import Any

import pytest

from experiment.running import WANDERING
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.result import finished


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 2}, "its schema 2 is newer than the 1 that this version knows: update"),
        ({"schema": None}, "is no whole result: remove it"),
        ({"experiment": "other"}, "is the result of other plain 0, not of toy plain 0: move"),
        ({"seed": 1}, "is the result of toy plain 1, not of toy plain 0"),
        ({"config_hash": "0"}, "is the result of another configuration"),
    ],
)
def test_what_is_not_the_result_of_the_very_run_is_not_taken_for_it(
    change: dict[str, Any], said: str, done: Path, tmp_path: Path
) -> None:
    assert finished(done, WANDERING)
    content = json.loads((done / "result.json").read_text())
    (tmp_path / "result.json").write_text(json.dumps({**content, **change}))
    with pytest.raises(UserError, match=said):
        finished(tmp_path, WANDERING)


def test_a_result_on_a_disk_that_is_not_mounted_is_there_all_the_same(tmp_path: Path) -> None:
    assert not finished(tmp_path, WANDERING)
    (tmp_path / "result.json").symlink_to(tmp_path / "not-mounted/result.json")
    with pytest.raises(UserError, match="No such file or directory: make it readable"):
        finished(tmp_path, WANDERING)
