"""Runs as jobs of SLURM, given to it by submitit; its local cluster does them on this machine.

A job that comes near its time limit ends its run and is queued again; the run goes on from its last
validation. Jobs outlive the command: given again, it waits for those that are at work.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing, redirect_stderr, suppress
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from typing import Literal

import submitit
from submitit.core.utils import (
    DelayedSubmission,
    FailedJobError,
    FailedSubmissionError,
    UncompletedJobError,
)

from mocha_lightning.data.workers import cores
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.door import COME_SECONDS, Address, Door
from mocha_lightning.experiment.executors.away import Errand, do_in_child, installed
from mocha_lightning.experiment.executors.base import GRACE_SECONDS, Ended, Job, say_stopping
from mocha_lightning.experiment.executors.options import MINUTES, NO_SLURM
from mocha_lightning.experiment.executors.slurm_queue import BY_SLURM, Queue
from mocha_lightning.experiment.exits import DONE, FAILED, GONE, MISTAKE, STOPPED
from mocha_lightning.experiment.locks import is_busy
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.run import stopping_once
from mocha_lightning.experiment.signals import stops_wait
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.tracking import WandbSettings

JOBS = ".slurm"
"""Where submitit keeps what it tells jobs and what they say, within the experiment's folder."""
WARNING_SECONDS = 90
"""How long before its limit a job is told; a run's process needs less to end."""
EARLY_SECONDS = 90
"""How much earlier that may come, as a job counts: SLURM may be a minute early, and Python begins
after its job."""
LOOK_SECONDS = 2.0
"""Between two looks at a job: it costs the file system something, and SLURM more;"""
LOOKS = 20
"""and no more looks a second than these, at however many jobs."""
CANCELLING = "Cancelling the jobs. Their runs will go on from their last validations."
QUEUED_AGAIN = 1_000_000
"""Times that a job may come to its limit; one that gets nowhere in between ends before."""


@dataclass(frozen=True)
class Request:
    """What is asked of SLURM. All else it takes from its own ``SBATCH_`` variables.

    Attributes:
        cluster: ``local`` is this machine, without SLURM.
        partition: where jobs wait; None for SLURM's default.
        minutes: that a job may take before it is queued again.
        cpus: of each run, on each of its nodes.
        gpus: of each run, on each of its nodes.
    """

    cluster: Literal["slurm", "local"] = "slurm"
    partition: str | None = None
    minutes: int = MINUTES
    cpus: int = 1
    gpus: int = 0


class Slurm:
    """An executor.

    Args:
        request: what is asked of SLURM.
        experiment: the folder ``runs/<experiment>``, which all nodes must see.
        wandb: what W&B is told of the runs.

    Raises:
        UserError: there is no SLURM here.
    """

    def __init__(self, request: Request, experiment: Path, wandb: WandbSettings) -> None:
        self.request = request
        self.wandb = wandb
        is_here = request.cluster == "local"
        self.slots = max(1, cores() // request.cpus) if is_here else sys.maxsize
        self.jobs: list[SlurmJob] = []
        folder = experiment.resolve() / JOBS
        own = {"slurm_max_num_timeout": QUEUED_AGAIN, "local_max_num_timeout": QUEUED_AGAIN}
        try:
            self.submitit = submitit.AutoExecutor(folder, cluster=request.cluster, **own)
        except RuntimeError as error:
            raise UserError(NO_SLURM) from error
        submitit.SlurmJob.watcher = Queue()
        self.submitit.update_parameters(
            timeout_min=request.minutes,
            cpus_per_task=request.cpus,
            slurm_signal_delay_s=WARNING_SECONDS,
            name=f"mocha-lightning-{experiment.name}",
            # Some clusters queue no job again that does not ask for it.
            slurm_additional_parameters={"requeue": True},
            **({"gpus_per_node": request.gpus} if request.gpus else {}),
            **({"slurm_partition": request.partition} if request.partition else {}),
        )

    def begin(self, specs: Mapping[Path, RunSpec]) -> Sequence[Job]:
        """Submit the runs, those of so many nodes as an array.

        Raises:
            UserError: SLURM refuses them, and has taken none yet.
        """
        arrays = self._arrays(specs)
        with stops_wait():
            given: dict[Path, Job] = {}
            for folders in arrays:
                given |= self._submit({folder: specs[folder] for folder in folders})
        return [given[folder] for folder in specs]

    def _arrays(self, specs: Mapping[Path, RunSpec]) -> Sequence[Sequence[Path]]:
        """Which runs are submitted at once: SLURM takes all of an array, or none."""
        if self.request.cluster == "local":
            return [[folder] for folder in specs]
        of_nodes: defaultdict[int, list[Path]] = defaultdict(list)
        for folder, spec in specs.items():
            of_nodes[spec.nodes].append(folder)
        return [of_nodes[nodes] for nodes in sorted(of_nodes)]

    def _submit(self, specs: Mapping[Path, RunSpec]) -> dict[Path, Job]:
        """Submit runs of the same nodes; those that cannot be submitted fail, and no others.

        Raises:
            UserError: SLURM refuses them, and has taken none yet.
        """
        seconds = 60 * self.request.minutes - WARNING_SECONDS
        errands = [
            Errand(folder.resolve(), spec, self.wandb, Path.cwd(), installed())
            for folder, spec in specs.items()
        ]
        self.submitit.update_parameters(**on_nodes(errands[0].spec.nodes))
        try:
            # What SLURM says of a refusal is part of our line.
            with redirect_stderr(StringIO()):
                given = self.submitit.submit_array([Submission(each, seconds) for each in errands])
        except (FailedJobError, FailedSubmissionError) as error:
            refusal = _refusal(error)
            if not self.jobs:
                raise UserError(refusal) from error
            # Whoever took others may take these later: its controller may be away, say.
            return dict.fromkeys(specs, Ended(GONE, refusal))
        except OSError as error:
            problem = f"{self.submitit.folder}: {error.strerror}"
            return dict.fromkeys(specs, Ended(FAILED, problem))
        begun = [SlurmJob(folder, job) for folder, job in zip(specs, given, strict=True)]
        self.jobs = [job for job in self.jobs if job.ended is None] + begun
        for job in self.jobs:
            job.look_seconds = max(LOOK_SECONDS, len(self.jobs) / LOOKS)
        return dict(zip(specs, begun, strict=True))

    def stop(self) -> None:
        """Cancel the jobs, and wait at most ``GRACE_SECONDS`` for their runs to end.

        What takes longer is killed where it is; a second Ctrl-C ends the wait.
        """
        left = [job for job in self.jobs if job.ended is None and not job.job.done()]
        self.jobs = []
        if not left:
            return
        say_stopping(CANCELLING)
        for job in left:
            job.cancel()
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline and any(is_busy(job.folder) for job in left):
            time.sleep(LOOK_SECONDS / 10)


@dataclass
class SlurmJob:
    """A run that was submitted."""

    folder: Path
    job: submitit.Job[Ended]
    ended: Ended | None = None
    look_seconds: float = LOOK_SECONDS
    _looked: float = field(default_factory=time.monotonic)

    @property
    def exitcode(self) -> int | None:
        """How it ended."""
        if self.ended is None and time.monotonic() - self._looked >= self.look_seconds:
            self._looked = time.monotonic()
            if self.job.done():
                self.ended = self._end()
        return self.ended.exitcode if self.ended else None

    @property
    def said(self) -> str:
        """What its log does not say."""
        return self.ended.said if self.ended else ""

    def cancel(self) -> None:
        """Have it ended."""
        if isinstance(self.job, submitit.LocalJob):
            # Its own way is SIGINT, which its process answers with a traceback.
            with suppress(ProcessLookupError):
                os.kill(int(self.job.job_id), signal.SIGTERM)
        else:
            self.job.cancel(check=False)

    def _end(self) -> Ended:
        try:
            # The first node's, which is the run's; the others only lend their processes.
            ended: Ended = self.job.task(0).result()
            return ended
        except FailedJobError:
            return Ended(FAILED, f"its job failed: {self.job.paths.stderr} says why")
        except UncompletedJobError:
            job, state = self.job.job_id, self.job.state
            if state in BY_SLURM:
                return Ended(GONE, f"its job {job} was ended by SLURM, or by somebody ({state})")
            return Ended(
                GONE,
                f"its job {job} ended without a word (SLURM: {state}; what it said: "
                f"{self.job.paths.stderr}; can its node see that folder, and has that room?)",
            )


@dataclass
class Submission:
    """What a job does; submitit has it go on where the job is queued again.

    Args:
        errand: the run.
        seconds: from a job's beginning to the warning of its limit.
    """

    errand: Errand
    seconds: float
    began: float = 0.0
    saved: int = 0
    """The step of the checkpoint that the run had when the job began."""

    def __call__(self) -> Ended:
        """Do the run, or on another node than its first, lend it processes."""
        environment = submitit.JobEnvironment()
        # Of a job that is queued again, too, each time is another.
        time_of_job = f"{environment.job_id}-{os.environ.get('SLURM_RESTART_COUNT', 0)}"
        place = self.errand.folder / f".door-{time_of_job}"
        if environment.global_rank:
            _lend(self.errand, environment.global_rank, place)
            return Ended(DONE)
        if self.errand.spec.nodes == 1:
            return self._do(None)
        with closing(Door(environment.hostname)) as door:
            write_whole(place, json.dumps(asdict(door.address)))
            try:
                return self._do(door)
            finally:
                place.unlink(missing_ok=True)

    def _do(self, door: Door | None) -> Ended:
        self.began = time.monotonic()
        self.saved = read_progress(self.errand.folder).saved
        signal.signal(signal.SIGTERM, stopping_once())
        try:
            code = do_in_child(self.errand, self.errand.folder, lambda: None, door)
        except UserError as error:
            return Ended(MISTAKE, str(error))
        except UncompletedJobError:
            return Ended(
                FAILED,
                "it came to no validation within the time limit, and would not the next time: "
                "give it more (--time-limit), or have it validated more often",
            )
        except subprocess.SubprocessError:
            # The command, where it still waits, gives it again.
            return Ended(GONE, "its job came to its limit, and SLURM did not queue it again")
        if code == STOPPED:
            # Whoever has SLURM end this may have had it queued again; a result would end it.
            sys.exit(STOPPED)
        return Ended(code)

    def checkpoint(self) -> DelayedSubmission | None:
        """Have the job queued again, unless it would get nowhere; submitit asks when time is up."""
        over = time.monotonic() - self.began >= self.seconds - EARLY_SECONDS
        if over and read_progress(self.errand.folder).saved <= self.saved:
            return None
        return DelayedSubmission(Submission(self.errand, self.seconds))


def _refusal(error: Exception) -> str:
    """A line of why SLURM takes no jobs, from what its own command says."""
    said = str(error).strip().partition("\n")[0].removeprefix("sbatch: error: ")
    return (
        f"--executor slurm: SLURM does not take the jobs: {said}: mend that (what has no option "
        "here is given by SLURM's own variables: SBATCH_ACCOUNT, say), and give the same command "
        "again"
    )


def on_nodes(nodes: int) -> dict[str, int]:
    """What submitit is asked for: a task on each node, which is what begins processes there."""
    return {"nodes": nodes, "tasks_per_node": 1}


def _lend(errand: Errand, node: int, place: Path) -> None:
    """Lend a run processes as soon as its node says, in a file that all see, where its door is."""
    # What computes takes seconds to import, and is of no use to a job of one node.
    from mocha_lightning.experiment.executors.lending import lend

    # Whoever asks a run to stop means its first process, whose end ends this.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    deadline = time.monotonic() + COME_SECONDS
    while True:
        try:
            return lend(errand, node, Address(**json.loads(place.read_text())))
        except (FileNotFoundError, ConnectionRefusedError):
            if time.monotonic() > deadline:
                raise
            time.sleep(LOOK_SECONDS)
