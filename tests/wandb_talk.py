"""A tracker over the real W&B, in a process of its own, that has something to tell."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import resource
import sys
from pathlib import Path
from mocha_lightning.tracking import Identity, Tracker, WandbSettings, beginning

mode, folder, most_bytes, steps, answer_seconds = sys.argv[1:]
if int(most_bytes):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most_bytes),) * 2)
beginning.ANSWER_SECONDS = float(answer_seconds)
# However many tests run beside this one.
beginning.START_SECONDS = 120
config = {"seed": 3, "config_hash": "abc"}
identity = Identity("toy", "plain", "plain/seed-3", (), config, "val/error", "min")
tracker = Tracker(Path(folder), WandbSettings(mode), identity)
tracker.wait_until_started()
for step in range(1, int(steps) + 1):
    tracker.log(step, {"val/error": 1 / step, "val/loss": 2.0})
tracker.finish(0, {"ended": "completed"})
"""
KEY = "a" * 40


def talk(
    folder: Path,
    *,
    mode: str = "online",
    most_bytes: int = 0,
    steps: int = 50,
    answer_seconds: float = 60,
    **variables: str,
) -> list[str]:
    """Track something, and give the lines that were said of it.

    Args:
        folder: of the run.
        mode: W&B's.
        most_bytes: that a file may have, where above 0; writing more fails as on a full disk.
        steps: to record.
        answer_seconds: how long a server is waited for.
        variables: of the environment.
    """
    folder.mkdir(exist_ok=True)
    path = os.pathsep.join(sys.path)
    words = [mode, str(folder), str(most_bytes), str(steps), str(answer_seconds)]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        env={**os.environ, "PYTHONPATH": path, "HOME": str(folder), **variables},
        capture_output=True,
        text=True,
        timeout=400,
        check=True,
    )
    return done.stderr.splitlines()
