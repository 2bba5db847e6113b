"""A small experiment's folder of results, written as the runner writes them."""

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

EXPERIMENT: dict[str, Any] = {
    "task": {"class_path": "mocha_lightning.recognizer.SpeechRecognizer"},
    "data": {"class_path": "mocha_lightning.data.SpokenNumbers"},
    "trainer": {"max_steps": 1000},
    "seeds": [0, 1, 2],
    "metric": {"name": "test/wer", "mode": "min"},
    "variants": {
        "soft": {"task.attention": {"class_path": "mocha_lightning.attention.SoftAttention"}},
        "mocha_w2": {"task.attention": {"class_path": "mocha_lightning.attention.MoChA"}},
    },
    "comparisons": [["mocha_w2", "soft"]],
}

# Three word error rates for each variant, far apart enough for a test to tell.
PUBLISHED = {
    "source": "Table 1 of somebody",
    "data": "another corpus",
    "rows": {"soft, theirs": {"best": 14.2, "SD": 0.3}, "w = 2": {"best": 13.9, "N": 8}},
}

WERS = {"soft": [4.0, 4.4, 4.2], "mocha_w2": [2.0, 2.2, 2.4]}


def result(variant: str, seed: int, wer: float | None) -> dict[str, Any]:
    metrics = {"test/wer": wer, "test/loss": 0.5, "val/wer": 1.0, "test/length_cap": 0.0}
    if variant != "soft":
        metrics |= {"test/wer_expected": 1.5, "test/undecided": 0.125, "test/off_the_end": 0.2}
    content = {
        "schema": 1,
        "experiment": "tiny",
        "variant": variant,
        "seed": seed,
        "differences": EXPERIMENT["variants"][variant],
        "metric": EXPERIMENT["metric"],
        "metrics": {
            name: {"value": value, "signature": f"{name} by jiwer 4.0.0"}
            for name, value in metrics.items()
        },
        "best_step": 900 + seed * 50,
        "steps": 1000,
        "ended": "completed",
        "parameters": 1000 if variant == "soft" else 1025,
        "departures": [["task.learning_rate", 0.004, 0.001]],
        "notes": ["The corpus is not the paper's."],
        "data": {
            "name": "spoken-numbers",
            "sha256": "d47a" * 16,
            "description": {
                "speech": "synthetic (eSpeak NG)",
                "splits": {
                    "train": {"utterances": 3000, "speakers": ["en+m1"]},
                    "validation": {"utterances": 200, "speakers": ["en+m7"]},
                    "test": {"utterances": 400, "speakers": ["en+m3"]},
                },
            },
        },
        "config": {
            "task": {
                "class_path": EXPERIMENT["task"]["class_path"],
                "init_args": {
                    "attention": EXPERIMENT["variants"][variant]["task.attention"],
                    "layers": 1,
                },
            },
            "data": {**EXPERIMENT["data"], "init_args": {"cache_dir": "cache", "batch_size": 16}},
            "trainer": EXPERIMENT["trainer"],
        },
        "places": ["cache_dir"],
        "sources": {},
        "provenance": {
            "commit": "abcdef0123456789abcdef0123456789abcdef01",
            "dirty": False,
            "versions": {"torch": "2.13.0"},
            "hardware": "2 cores",
            "threads": 1,
            "command": "mocha-lightning run experiments/tiny.yaml",
            "started": "2026-11-28T00:00:00Z",
            "seconds": 100.0 + seed,
            "peak_memory_mib": 900,
        },
    }
    return {**content, "config_hash": hash_of(content)}


def hash_of(content: dict[str, Any]) -> str | None:
    """That of all that decides a run's numbers, as the runner hashes it; None where it cannot."""
    try:
        data = dict(content["config"]["data"])
        data["init_args"] = {
            key: value for key, value in data["init_args"].items() if key not in content["places"]
        }
        deciding = {
            **content["config"],
            "data": data,
            "data_sha256": content["data"]["sha256"],
            "metric": content["metric"],
            "seed": content["seed"],
            "sources": content["sources"],
            "threads": content["provenance"]["threads"],
        }
    except (LookupError, TypeError, AttributeError):
        return None
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


class Folder:
    """`runs/tiny`, whose files a test may change, remove or spoil."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.experiment()
        for variant, wers in WERS.items():
            for seed, wer in enumerate(wers):
                self.write(result(variant, seed, wer))

    def experiment(self, **changes: Any) -> None:
        text = yaml.safe_dump({**EXPERIMENT, **changes}, sort_keys=False)
        (self.path / "experiment.yaml").write_text(text)

    def file(self, variant: str, seed: int) -> Path:
        return self.path / variant / f"seed-{seed}" / "result.json"

    def write(self, content: dict[str, Any]) -> None:
        file = self.file(content["variant"], content["seed"])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))

    def change(self, variant: str, seed: int, change: Callable[[dict[str, Any]], None]) -> None:
        """Make one result as if the run had been so; of a hash that is changed, only edited."""
        content = json.loads(self.file(variant, seed).read_text())
        before = content["config_hash"]
        change(content)
        if content["config_hash"] == before:
            content["config_hash"] = hash_of(content) or before
        self.file(variant, seed).write_text(json.dumps(content))

    def change_all(self, variant: str, change: Callable[[dict[str, Any]], None]) -> None:
        for seed in range(3):
            self.change(variant, seed, change)

    def judge_by(self, name: str, mode: str = "min") -> None:
        """Make another of the measured values the experiment's metric."""
        metric = {"name": name, "mode": mode}
        self.experiment(metric=metric)
        for variant in WERS:
            self.change_all(variant, put("metric", metric))

    def compare_twice(self) -> None:
        """Compare mocha_w2 with a twin of soft too, which is the same comparison again."""
        twin = "soft_again"
        self.experiment(
            variants={**EXPERIMENT["variants"], twin: EXPERIMENT["variants"]["soft"]},
            comparisons=[["mocha_w2", "soft"], ["mocha_w2", twin]],
        )
        for seed in range(3):
            self.write({**json.loads(self.file("soft", seed).read_text()), "variant": twin})

    def remove(self, variant: str, seed: int) -> None:
        self.file(variant, seed).unlink()


@pytest.fixture
def runs(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "runs" / "tiny")


CTC = "mocha_lightning.recognizer.CtcRecognizer"


def by_ctc(content: dict[str, Any]) -> None:
    """Change a result to one of CTC, which a variant has named."""
    content["differences"] = {"task.class_path": CTC}
    content["config"]["task"] = {"class_path": CTC, "init_args": {"layers": 1}}
    for name in ("wer_expected", "undecided", "off_the_end", "length_cap"):
        content["metrics"].pop(f"test/{name}", None)


def diverge(step: int) -> Callable[[dict[str, Any]], None]:
    """Return a change to what the runner writes of a run whose training loss was no number."""

    def change(content: dict[str, Any]) -> None:
        content["ended"] = f"the training loss was nan at step {step}"
        content["steps"] = step
        content["best_step"] = step // 10 * 10
        content["provenance"]["seconds"] = step / 10
        for metric in content["metrics"].values():
            metric["value"] = None

    return change


def put(keys: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change that sets `a.b.c` (`test/wer` is one key)."""
    *parents, last = keys.split(".")

    def change(content: dict[str, Any]) -> None:
        for key in parents:
            content = content[key]
        content[last] = copy.deepcopy(value)

    return change
