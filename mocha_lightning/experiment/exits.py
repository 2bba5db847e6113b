"""How a run's process says how it ended, and what a person reads of that."""

import signal
from pathlib import Path

DONE, FAILED, MISTAKE, BUSY, STOPPED = 0, 1, 2, 75, 143
"""Exit codes; BUSY says that another process does this run."""


def explain(code: int, log: Path) -> str:
    """Why a run failed: its exit code, the last words of its log, the log's path."""
    if code < 0:
        ending = f"killed by {signal.Signals(-code).name}"
        if code == -signal.SIGKILL:
            ending += " (by the system, where memory ran out)"
    else:
        ending = f"exit code {code}"
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    last = lines[-1].strip() if lines else "nothing"
    return f"{ending}: {last} (all of it: {log})"
