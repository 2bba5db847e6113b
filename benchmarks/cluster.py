"""What the runner itself costs in a study of a thousand runs on a hundred nodes that fail.

First one run of ``experiments/reordering.yaml`` is done here, which tells how long a run takes to
begin, how long a step and a validation. Then a study of many variants and seeds is done by the
real runner, with its board, retries, locks and files in a real folder; only the nodes are
simulated. They do nothing but what a run does to its folder, and the time in between passes on a
clock that leaps. Now and then a node is lost with its run, and comes back later (both drawn by
chance, from a seed).
Then ``status``, ``report`` and the command for all runs, which finds them done, look at that folder
as commands of their own.

Everything that is the runner's is timed on the real clock, and set beside the time that the study
took on the one that leaps. Training, its checkpoints and W&B are not the runner's
(``benchmarks/running.py`` has them).
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from harness import Options, print_table, significant
from running import EXPERIMENT, settings_of
from simulated import VALIDATIONS, Cluster, Template, simulate

from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.executors.process import Processes
from mocha_lightning.experiment.places import CURVES, PREDICTIONS, RESULT
from mocha_lightning.experiment.progress import read_progress
from mocha_lightning.experiment.record import record
from mocha_lightning.experiment.resolving import open_data
from mocha_lightning.experiment.runner import Run, State, run_all
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED

RUNS, VARIANTS, NODES = 1000, 20, 100
STEPS = 12_000
MEASURED = 120
"""Steps of the run that is done here."""
SEED = 1
NAME = "study"


def measure(spec: RunSpec, folder: Path) -> Template:
    """Do a run."""
    asked: list[float] = []
    trained: list[float] = []

    def watch(runs: Sequence[Run]) -> None:
        asked[:] = asked or [time.monotonic()]
        if not trained and read_progress(runs[0].folder).phase == "training":
            trained.append(time.monotonic())

    (run,) = run_all([spec], folder, 1, Processes(DISABLED), watch)
    if run.state is not State.DONE:
        raise SystemExit(run.problem)
    result = json.loads((run.folder / RESULT).read_text())
    given = {"metrics", "best_step", "ended", "parameters", "notes", "departures", "data"}
    return Template(
        start=trained[0] - asked[0],
        step=read_progress(run.folder).seconds / spec.steps,
        facts={key: result[key] for key in (*sorted(given), "provenance")},
        curves=(run.folder / CURVES).read_text(),
        predictions=(run.folder / PREDICTIONS).read_text(),
    )


def study_of(variants: int, seeds: int, steps: int, cache: Path) -> dict[str, Any]:
    """An experiment of many variants."""
    content: dict[str, Any] = yaml.safe_load(EXPERIMENT.read_text())
    settings = settings_of(steps, cache)
    content["trainer"] |= {
        "max_steps": steps,
        "val_check_interval": steps // VALIDATIONS,
    }
    content["data"]["init_args"] |= {
        "test_documents": 200,
        "cache_dir": settings["data.cache_dir"],
    }
    recipe = content["variants"]["mocha_w2"]["task.attention"]
    content["variants"] = {
        f"w{w}": {
            "task.attention": {**recipe, "init_args": {**recipe["init_args"], "chunk_size": w}}
        }
        for w in range(1, variants + 1)
    }
    content["comparisons"] = [[f"w{w}", "w1"] for w in range(2, variants + 1)]
    return {"name": NAME, **content, "seeds": list(range(seeds))}


def seconds_of(words: Iterable[object], place: Path) -> float:
    """What a command takes."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "mocha_lightning", *map(str, words)],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()[-500:]}")
    return time.perf_counter() - begun


def rows(place: Path, runs: int, nodes: int, steps: int, seed: int) -> Iterator[dict[str, str]]:
    """What the study took, and each part of the runner beside it."""
    variants = min(VARIANTS, runs)
    file = place / f"{NAME}.yaml"
    content = study_of(variants, -(-runs // variants), steps, place / "cache")
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    experiment = load_experiment(file)
    specs = experiment.runs("benchmarks/cluster.py")[:runs]
    _, data = open_data(specs[0].config, 0)
    specs = [replace(spec, data_sha256=data.sha256) for spec in specs]
    (short,) = load_experiment(
        file, seeds=[0], settings=settings_of(MEASURED, place / "cache")
    ).runs("", [specs[0].variant])
    template = measure(replace(short, data_sha256=data.sha256), place / "measured")
    folder = place / "runs" / NAME
    folder.mkdir(parents=True)
    record(experiment, folder)
    cluster = Cluster(nodes, template, random.Random(seed))
    took, own, done = simulate(specs, folder, cluster)
    failed = [run for run in done if run.state is not State.DONE]
    twice = sum(number > 1 for number in cluster.written.values())
    yield {
        "": (
            f"the study: {len(done)} runs of {steps:,} steps of {template.step * 1e3:.0f} ms, "
            f"{template.start:.1f} s to begin; {cluster.losses} runs lost with their node, "
            f"{len(failed)} failed, {twice} done twice"
        ),
        "s": significant(took),
        "%": "",
    }
    a_run = cluster.trained / len(done)
    yield _row("the command that watches: runner, board, locks, retries", own, took)
    in_a_run = cluster.spent / len(done)
    yield _row("in a run: lock, progress, curves, predictions, result", in_a_run, a_run)
    for words in (["status", folder], ["report", folder], ["run", file, "--wandb", "disabled"]):
        yield _row(f"mocha-lightning {words[0]}", seconds_of(words, place), took)


def _row(name: str, seconds: float, of: float) -> dict[str, str]:
    return {"": name, "s": significant(seconds), "%": f"{100 * seconds / of:.3f}"}


def main(arguments: list[str] | None = None) -> None:
    """Measure, simulate and print."""
    options = Options(__doc__, 1)
    options.whole_number("--runs", RUNS, "of the study")
    options.whole_number("--nodes", NODES, "that do one run at a time each")
    options.whole_number("--steps", STEPS, f"of each run, a multiple of {VALIDATIONS}")
    options.whole_number("--seed", SEED, "of chance")
    given = options.parse_args(arguments)
    if given.steps % VALIDATIONS:
        options.error(f"--steps: must be a multiple of {VALIDATIONS}, the number of validations")
    with TemporaryDirectory() as place:
        print_table(
            f"{given.runs} runs on {given.nodes} nodes",
            rows(Path(place), given.runs, given.nodes, given.steps, given.seed),
        )


if __name__ == "__main__":
    main()
