"""What SLURM says of jobs, by ``squeue``.

submitit asks ``sacct``, which knows nothing where SLURM keeps no accounts: what was killed there
would be waited for for ever.
"""

import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass

SQUEUE = ("squeue", "--noheader", "--array", "--states=all", "--format=%i|%T|%r")
LEAST_SECONDS, MOST_SECONDS = 2, 30
"""Between two questions: more, the longer there was no new job."""
ANSWER_SECONDS = 60
"""SLURM's own time for an answer is shorter."""
BY_SLURM = (
    *("BOOT_FAIL", "CANCELLED", "DEADLINE", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED"),
    "TIMEOUT",
)
"""States of a job that has not ended itself,"""
OVER = (*BY_SLURM, "COMPLETED", "FAILED")
"""and of all that will not go on; one that is to be queued again has others."""
FORGOTTEN = "no longer known"
"""SLURM forgets a job minutes after its end."""
UNKNOWN = "not known yet"
IN_TURN = (
    *("None", "Priority", "Resources", "BeginTime", "Cleaning", "Dependency"),
    *("JobArrayTaskLimit", "Licenses", "Prolog", "Reservation"),
)
"""Why jobs wait that come to their turn by themselves."""


@dataclass(frozen=True)
class Standing:
    """What SLURM says of a job: its state, and why it waits."""

    state: str
    reason: str


class Queue:
    """Tells submitit, in place of its own watcher, how jobs stand, and people why they wait."""

    def __init__(self) -> None:
        self._jobs: set[str] = set()
        self._since = 0.0
        """When the newest job was given."""
        self._asked_at = float("-inf")
        self._asked_for: frozenset[str] = frozenset()
        self._known: dict[str, Standing] = {}
        self._told: set[str] = set()

    def register_job(self, job_id: str) -> None:
        """Take note of a job."""
        self._jobs.add(job_id)
        self._since = time.monotonic()
        self._asked_at = float("-inf")

    def is_done(self, job_id: str, mode: str = "standard") -> bool:
        """Whether a job is over."""
        return self.get_state(job_id, mode) in (*OVER, FORGOTTEN)

    def get_state(self, job_id: str, mode: str = "standard") -> str:
        """The state of a job: SLURM's word, ``FORGOTTEN`` or ``UNKNOWN``.

        Args:
            job_id: a job that was registered.
            mode: ``force`` asks SLURM at once, ``standard`` if it was not asked lately.
        """
        now = time.monotonic()
        pause = min(MOST_SECONDS, max(LEAST_SECONDS, (now - self._since) / 2))
        if mode == "force" or now - self._asked_at > pause:
            self._asked_at = now
            self._ask()
        if known := self._known.get(job_id):
            return known.state
        return FORGOTTEN if job_id in self._asked_for else UNKNOWN

    def _ask(self) -> None:
        """Ask SLURM; where it does not answer, jobs stand as they did."""
        # What filters this person's own questions would make jobs look gone.
        surroundings = {key: word for key, word in os.environ.items() if key[:7] != "SQUEUE_"}
        try:
            said = subprocess.run(
                [*SQUEUE, f"--user={os.getuid()}"],
                env=surroundings,
                capture_output=True,
                text=True,
                check=True,
                timeout=ANSWER_SECONDS,
            ).stdout
        except (OSError, subprocess.SubprocessError):
            return
        lines = (line.split("|", 2) for line in said.splitlines())
        self._known = {job: Standing(state, reason) for job, state, reason in lines}
        self._asked_for = frozenset(self._jobs)
        self._tell()

    def _tell(self) -> None:
        """Say, once, why jobs wait that nobody will begin as things are."""
        standings = [self._known[job] for job in self._asked_for if job in self._known]
        waiting = Counter(each.reason for each in standings if each.state == "PENDING")
        for reason, jobs in waiting.items():
            if reason not in IN_TURN and reason not in self._told:
                self._told.add(reason)
                many = "a job" if jobs == 1 else f"{jobs} jobs"
                print(
                    f"SLURM has {many} wait: {reason}: have that mended, or end this command "
                    "(Ctrl-C), which cancels them, and ask for something else",
                    file=sys.stderr,
                    flush=True,
                )
