"""The process of which runs are forks."""

import subprocess
import sys
from pathlib import Path

from mocha_lightning.experiment.classes import class_paths
from mocha_lightning.experiment.server import preloaded
from mocha_lightning.tracking import DISABLED, WandbSettings

SCRIPT = """
import os, sys
from mocha_lightning.experiment.server import begin_server
from mocha_lightning.tracking import WandbSettings

def tell():
    print("torch" in sys.modules, os.environ["OMP_NUM_THREADS"], os.environ["PYTHONHASHSEED"])
    print("mine" in sys.modules, "mocha_lightning.data.key_facts" in sys.modules)
    print("wandb" in sys.modules)

if __name__ == "__main__":
    classes = ["mine.Mine", "mocha_lightning.data.KeyFacts", "broken.Broken", "none.None", "bad"]
    server = begin_server(3, classes, WandbSettings("offline"))
    assert "torch" not in sys.modules
    process = server.Process(target=tell)
    process.start()
    process.join()
    sys.exit(process.exitcode)
"""


def test_a_fork_of_it_has_what_runs_need_whatever_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Mine: pass\n")
    (tmp_path / "broken.py").write_text("raise SystemExit('broken')\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    ended = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "True 3 0\nTrue True\nTrue\n"


def test_it_does_not_import_wandb_where_that_is_off() -> None:
    assert {*preloaded(WandbSettings("offline"))} - {*preloaded(DISABLED)} == {"wandb.sdk.launch"}


def test_classes_are_found_in_a_base_and_in_what_variants_change() -> None:
    file = {
        "task": {"class_path": "a.Task", "init_args": {"part": {"class_path": "a.Part"}}},
        "variants": {
            "one": {"task.attention": {"class_path": "a.One"}},
            "two": {"task.class_path": "a.Two"},
        },
    }
    assert [*class_paths(file)] == ["a.Task", "a.Part", "a.One", "a.Two"]
