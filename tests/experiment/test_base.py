"""What variants share: all that none of them sets, and what two classes of theirs both have."""

from typing import Any, NamedTuple

import pytest

from mocha_lightning.experiment.base import base_difference


class Done(NamedTuple):
    """A run of a model whose mechanism is a class within a class."""

    config: dict[str, Any]
    places: tuple[str, ...] = ()


def done(mechanism: str, **arguments: Any) -> Done:
    node = {"class_path": mechanism, "init_args": arguments}
    return Done({"task": {"class_path": "mine.Model", "init_args": {"mechanism": node, "size": 4}}})


PLAIN, NOISY = done("mine.Plain", gain=1), done("mine.Noisy", gain=1, noise={"std": 2})
CLASS = "task.mechanism.class_path"


@pytest.mark.parametrize("path", [CLASS, "task.init_args.mechanism.class_path"])
def test_an_argument_that_only_one_of_two_classes_has_differs_with_the_class(path: str) -> None:
    assert base_difference(PLAIN, NOISY, [path]) is None
    assert base_difference(NOISY, PLAIN, [path]) is None


@pytest.mark.parametrize(
    ("now", "varied", "said"),
    [
        (done("mine.Noisy", gain=2), [CLASS], "task.mechanism.gain was 1 and is 2"),
        (NOISY, ["task.size"], 'task.mechanism.class_path was "mine.Plain" and is "mine.Noisy"'),
        # Of one class, an argument that is not there is of another state of its code.
        (done("mine.Plain", gain=1, new=0), [CLASS], "task.mechanism.new was not there and is 0"),
    ],
)
def test_all_else_must_be_equal(now: Done, varied: list[str], said: str) -> None:
    assert base_difference(PLAIN, now, varied) == said


def test_what_variants_set_may_differ() -> None:
    assert base_difference(PLAIN, done("mine.Plain", gain=2), ["task.mechanism.gain"]) is None
    assert base_difference(PLAIN, done("mine.Else"), ["task.mechanism"]) is None
