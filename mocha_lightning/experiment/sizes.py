"""How many parameters the models of an experiment have, known without data or weights."""

from dataclasses import dataclass
from pathlib import Path

import torch

from mocha_lightning.experiment.building import build_models, parameters_of, parts_of
from mocha_lightning.experiment.definition import Experiment, Variant, load_experiment


@dataclass(frozen=True)
class Sizes:
    """Parameters of the models of one experiment.

    Attributes:
        experiment: its name.
        parts: by variant, those of each part.
        totals: by variant, of all.
        baselines: the variants that others are set beside, by what they are.
    """

    experiment: str
    parts: dict[str, dict[str, int]]
    totals: dict[str, int]
    baselines: dict[str, str]

    def beside(self, baseline: str, variant: str) -> float:
        """The share of parameters that a variant has beyond a baseline: 0.01 is 1 % more."""
        return self.totals[variant] / self.totals[self.baselines[baseline]] - 1


BASELINES = {"soft": "SoftAttention", "monotonic": "MonotonicAttention"}
"""By what tables call it, the class of a baseline's attention."""


def sizes_of(file: Path) -> Sizes:
    """Count the parameters of each variant of an experiment file; a vocabulary counts as full.

    Models are built without memory for their weights, so that size costs nothing.

    Raises:
        UserError: the file is wrong, or a model cannot be built.
    """
    experiment = load_experiment(file)
    with torch.device("meta"):
        models = build_models(experiment.variants, experiment.metric, full=True)
    tasks = {name: model.task for name, model in models.items()}
    return Sizes(
        experiment=experiment.name,
        parts={name: parts_of(task) for name, task in tasks.items()},
        totals={name: parameters_of(task) for name, task in tasks.items()},
        baselines=_baselines(experiment),
    )


def _baselines(experiment: Experiment) -> dict[str, str]:
    """The first variant of each kind, where there is one."""
    classes = {variant.name: _attention(variant) for variant in reversed(experiment.variants)}
    first = {class_name: variant for variant, class_name in classes.items()}
    return {name: first[wanted] for name, wanted in BASELINES.items() if wanted in first}


def _attention(variant: Variant) -> str | None:
    """The name of a variant's attention class; None where its task has none."""
    found = variant.config["task"].get("init_args", {}).get("attention")
    return found["class_path"].rpartition(".")[2] if isinstance(found, dict) else None
