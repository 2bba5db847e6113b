"""Refusing to be differentiated twice."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import torch

Arguments = ParamSpec("Arguments")
Gradients = TypeVar("Gradients")


def differentiable_once(
    backward: Callable[Arguments, Gradients],
) -> Callable[Arguments, Gradients]:
    """Have a Function's ``backward`` refuse to be itself part of a graph.

    PyTorch's own ``once_differentiable`` takes the gradients for constants where what comes in
    needs no gradient, and the second derivative is then silently wrong.
    """

    @wraps(backward)
    def refusing(*arguments: Any, **named: Any) -> Gradients:
        if torch.is_grad_enabled():
            raise RuntimeError(
                "attention can be differentiated once: call backward() or grad() without "
                "create_graph=True"
            )
        return backward(*arguments, **named)

    return refusing
