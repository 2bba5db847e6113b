"""How a run's process says how it ended, and what a person reads of that."""

import signal
from pathlib import Path

DONE, FAILED, MISTAKE, GIVEN_UP, BUSY, STOPPED = 0, 1, 2, 74, 75, 143
"""Exit codes; BUSY says that another process does this run, GIVEN_UP that it was pruned."""
LOST = 255
"""What Python says of a process when what it is a fork of was killed; then it ends, too."""
GONE = 254
"""What an executor says of a run whose machine, or what did it there, is gone."""
PART_LOST = 76
"""Another of the processes that do a run together was killed, or its node lost."""

BEGINNING = "--- "
"""What each process of a run begins with in its log, before the time."""


def is_machine_fault(code: int) -> bool:
    """Whether a process died of what may not come again: memory ran out, say.

    Whatever a run says itself is no such thing: an error would come again, be it of a full disk.
    """
    return code < 0 or code in (LOST, GONE, PART_LOST)


def killed_by(code: int) -> str:
    """How a process was killed whose exit code is below 0."""
    said = f"killed by {signal.Signals(-code).name}"
    if code == -signal.SIGKILL:
        said += " (by somebody, or by the system where memory ran out)"
    return said


def explain(code: int, log: Path) -> str:
    """Why a run failed: its exit code, the last words of its log, the log's path."""
    if code < 0:
        # It had no time to say why; what its log ends with is about something else.
        return f"{killed_by(code)} (its log: {log})"
    if code == LOST:
        return f"lost together with the process that all runs come from (its log: {log})"
    ending = f"exit code {code}"
    try:
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    except OSError as error:
        return f"{ending} (its log {log}: {error.strerror})"
    if not lines or lines[-1].startswith(BEGINNING):
        return f"{ending}, without a word (its log: {log})"
    return f"{ending}: {lines[-1].strip()} (all of it: {log})"
