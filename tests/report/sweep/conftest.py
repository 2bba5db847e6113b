"""A small sweep's folder, written as the sweep writes it; nothing is trained."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import yaml

from ..conftest import hash_of
from ..conftest import result as experiment_result

W, R = "task.attention.chunk_size", "task.attention.offset"
SWEEP: dict[str, Any] = {
    "name": "tiny-sweep",
    "experiment": "experiments/demo.yaml",
    "variant": "mocha_w2",
    "metric": {"name": "val/wer", "mode": "min"},
    "seeds": [0, 1, 2],
    "trials": 6,
    "steps": 900,
    "space": {W: [1, 2, 3, 4, 6, 8], R: {"low": -6, "high": 2}},
    "sampler": {"class_path": "optuna.samplers.TPESampler", "init_args": {"seed": 7}},
    "pruner": {"class_path": "optuna.pruners.MedianPruner"},
    "seed": 0,
}
SCORES: dict[int, tuple[int, float, list[float]]] = {
    0: (4, -2.5, [2.2, 2.4, 2.3]),
    1: (1, 0.5, [9.0, 9.4, 9.2]),
    2: (2, -3.0, [2.3, 2.5, 2.4]),
    3: (6, -1.0, [3.0, 3.3, 3.0]),
    4: (8, -2.0, [2.35, 2.25, 2.45]),
}
"""By trial: w, r and the word error rates of its runs."""


def run_result(number: int, seed: int, wer: float | None, values: dict[str, Any]) -> dict[str, Any]:
    content = experiment_result("mocha_w2", seed, 1.0)
    content |= {
        "experiment": SWEEP["name"],
        "variant": f"trial-{number:04d}",
        "differences": values,
        "metric": SWEEP["metric"],
        "metrics": {
            "val/wer": {"value": wer, "signature": "val/wer by jiwer 4.0.0"},
            "val/loss": {"value": 0.5 if wer is not None else None, "signature": "mean"},
        },
        "best_step": 800,
        "steps": 900,
    }
    content["provenance"]["command"] = "mocha-lightning sweep sweeps/tiny-sweep.yaml"
    return {**content, "config_hash": hash_of(content)}


class SweepFolder:
    """`runs/<sweep>`, whose files a test may change, remove or spoil."""

    def __init__(self, path: Path, **changes: Any) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.definition = {**SWEEP, "name": path.name, **changes}
        (path / "sweep.yaml").write_text(yaml.safe_dump(self.definition, sort_keys=False))

    def define(self, **changes: Any) -> None:
        self.definition |= changes
        (self.path / "sweep.yaml").write_text(yaml.safe_dump(self.definition, sort_keys=False))

    def trial_file(self, number: int) -> Path:
        return self.path / f"trial-{number:04d}" / "trial.json"

    def run_file(self, number: int, seed: int) -> Path:
        return self.path / f"trial-{number:04d}" / f"seed-{seed}" / "result.json"

    def begin(self, number: int) -> None:
        self.trial_file(number).parent.mkdir(parents=True, exist_ok=True)

    def run(self, number: int, seed: int, wer: float | None, values: dict[str, Any]) -> None:
        content = run_result(number, seed, wer, values)
        content |= {"experiment": self.path.name, "metric": self.definition["metric"]}
        name = self.definition["metric"]["name"]
        content["metrics"][name] = content["metrics"].pop("val/wer")
        file = self.run_file(number, seed)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))

    def trial(
        self,
        number: int,
        values: dict[str, Any],
        scores: list[float | None],
        state: str = "complete",
        reason: str = "",
        intermediate: list[list[float]] | None = None,
    ) -> None:
        seeds = self.definition["seeds"]
        for seed, wer in zip(seeds, scores, strict=False):
            self.run(number, seed, wer, values)
        if intermediate is None:
            intermediate = [
                [place * 900 + step, 1.0 + 90.0 / step + fmean(s or 99.0 for s in scores)]
                for place in range(len(scores))
                for step in (300, 600, 900)
            ]
        complete = state == "complete"
        content = {
            "number": number,
            "values": values,
            "state": state,
            "reason": reason,
            "value": fmean(score or 0.0 for score in scores) if complete else None,
            "runs": [
                {"seed": seed, "value": score, "best_step": 800}
                for seed, score in zip(seeds, scores, strict=False)
            ],
            "intermediate": intermediate,
            "started": "2026-11-28T00:00:00+00:00",
            "ended": "2026-11-28T00:10:00+00:00",
        }
        self.begin(number)
        self.trial_file(number).write_text(json.dumps(content))

    def change(self, file: Path, change: Callable[[dict[str, Any]], None]) -> None:
        content = json.loads(file.read_text())
        change(content)
        file.write_text(json.dumps(content))


@pytest.fixture
def sweep(tmp_path: Path) -> SweepFolder:
    """Five complete settings and a pruned one: all six trials."""
    folder = SweepFolder(tmp_path / "runs" / "tiny-sweep")
    for number, (w, r, scores) in SCORES.items():
        folder.trial(number, {W: w, R: r}, [*scores])
    pruned = "at step 300 of seed 0"
    folder.trial(5, {W: 3, R: 1.5}, [], "pruned", pruned, intermediate=[[300, 60.0]])
    return folder


def many(path: Path, trials: int = 30, seed: int = 0, **changes: Any) -> SweepFolder:
    """A sweep as it is in the middle: trials in every state, scores by a rule and luck."""
    luck = random.Random(seed)
    folder = SweepFolder(path, trials=trials + 4, **changes)
    for number in range(trials):
        w, r = luck.choice(SWEEP["space"][W]), luck.uniform(-6, 2)
        mean = 2.2 + 0.35 * abs(r + 2) + 4 * (w == 1)
        seeds = folder.definition["seeds"]
        scores = [max(0.1, luck.gauss(mean, 0.15 + 0.05 * mean)) for _ in seeds]
        path_ = [
            [place * 900 + step, mean + 9000 / step**1.6]
            for place in range(len(seeds))
            for step in range(100, 901, 100)
        ]
        values = {W: w, R: r}
        if number % 7 == 5:
            folder.trial(
                number, values, [], "pruned", "at step 300 of seed 0", intermediate=path_[:3]
            )
        elif number == 9:
            folder.trial(
                number,
                values,
                [*scores[:-1], None],
                "diverged",
                "the training loss was nan at step 300",
                intermediate=path_[:12],
            )
        elif number == 10:
            folder.trial(number, values, [], "failed", "the disk is full", intermediate=[])
        else:
            folder.trial(number, values, [*scores], intermediate=path_)
    folder.begin(trials)
    return folder
