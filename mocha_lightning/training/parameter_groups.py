"""Parameters that learn at rates of their own."""

from collections.abc import Mapping
from typing import Any

from torch import nn


def parameter_groups(
    model: nn.Module, learning_rate: float, factors: Mapping[str, float]
) -> list[dict[str, Any]]:
    """A model's parameters as an optimiser takes them, grouped by learning rate.

    Args:
        model: the model.
        learning_rate: the rate of every parameter that ``factors`` does not name.
        factors: multiple of that rate, by the parameter's full name.

    Raises:
        ValueError: a name that no parameter has.
    """
    parameters = dict(model.named_parameters())
    if unknown := factors.keys() - parameters.keys():
        raise ValueError(f"no such parameter: {', '.join(sorted(unknown))}")
    groups: dict[float, list[nn.Parameter]] = {1.0: []}
    for name, parameter in parameters.items():
        groups.setdefault(factors.get(name, 1.0), []).append(parameter)
    return [{"params": members, "lr": factor * learning_rate} for factor, members in groups.items()]
