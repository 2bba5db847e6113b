"""How a run's process says how it ended, and what a person reads of that."""

import signal
from pathlib import Path

DONE, FAILED, MISTAKE, BUSY, STOPPED = 0, 1, 2, 75, 143
"""Exit codes; BUSY says that another process does this run."""

BEGINNING = "--- "
"""What each process of a run begins with in its log, before the time."""


def explain(code: int, log: Path) -> str:
    """Why a run failed: its exit code, the last words of its log, the log's path."""
    if code < 0:
        ending = f"killed by {signal.Signals(-code).name}"
        if code == -signal.SIGKILL:
            ending += " (by somebody, or by the system where memory ran out)"
        # It had no time to say why; what its log ends with is about something else.
        return f"{ending} (its log: {log})"
    ending = f"exit code {code}"
    try:
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    except OSError as error:
        return f"{ending} (its log {log}: {error.strerror})"
    if not lines or lines[-1].startswith(BEGINNING):
        return f"{ending}, without a word (its log: {log})"
    return f"{ending}: {lines[-1].strip()} (all of it: {log})"
