"""What differs from the paper is what differs from the defaults of the classes."""

from importlib import import_module
from typing import Any

import pytest

from experiment.running import MECHANISM, toy_spec
from mocha_lightning.experiment.classes import parameters
from mocha_lightning.experiment.departures import departures, strangers

SCHEDULES = "mocha_lightning.training.schedules"
SUMMARIZER = "mocha_lightning.summarizer.Summarizer"
CLASSES = {
    "mocha_lightning.attention": ("SoftAttention", "MonotonicAttention", "MoChA", "MAtChA"),
    "mocha_lightning.recognizer": ("SpeechRecognizer", "CtcRecognizer"),
    "mocha_lightning.summarizer": ("Summarizer",),
}


def test_every_argument_that_is_not_at_its_default_is_told_at_any_depth() -> None:
    task = recogniser(
        attention={
            "class_path": "mocha_lightning.attention.MoChA",
            "init_args": {"chunk_size": 4, "offset": -4.0, "noise_std": 3.0},
        },
        layers=1,
        filters=32,
    )
    assert list(departures(task)) == [
        ("task.attention.chunk_size", 4, 2),
        ("task.attention.noise_std", 3.0, 1.0),
        ("task.layers", 1, 3),
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        # The paper, section 4: on summaries r = 0 and w = 8 for MoChA, r = -1 for its baseline.
        ("MoChA", {"offset": 0.0, "chunk_size": 8}, []),
        ("MoChA", {"offset": -4.0, "chunk_size": 2}, [("offset", -4.0, 0), ("chunk_size", 2, 8)]),
        ("MonotonicAttention", {"offset": -1}, []),
        ("MonotonicAttention", {"offset": -4.0}, [("offset", -4.0, -1)]),
        ("MAtChA", {"offset": 0}, []),
        # What the paper does not set apart by task is the default in both.
        ("MoChA", {"offset": 0, "chunk_size": 8, "noise_std": 3.0}, [("noise_std", 3.0, 1.0)]),
    ],
)
def test_a_mechanism_is_compared_with_what_the_paper_gives_it_in_the_task(
    name: str, arguments: dict[str, Any], told: list[tuple[str, Any, Any]]
) -> None:
    attention = {"class_path": f"mocha_lightning.attention.{name}", "init_args": arguments}
    task = {"class_path": SUMMARIZER, "init_args": {"attention": attention}}
    assert list(departures(task)) == [
        (f"task.attention.{key}", here, paper) for key, here, paper in told
    ]


def test_of_none_it_is_told_what_it_means() -> None:
    attention = {
        "class_path": "mocha_lightning.attention.MonotonicAttention",
        "init_args": {"offset": -1, "gain": 1.0},
    }
    arguments = {"attention": attention, "projection_dim": 64, "beam_threshold": None}
    assert list(departures({"class_path": SUMMARIZER, "init_args": arguments})) == [
        ("task.attention.gain", 1.0, "1/sqrt(d)"),
        ("task.projection_dim", 64, "no such layer"),
        ("task.beam_threshold", "no limit", 3.0),
    ]
    speech = recogniser(attention=attention, beam_threshold=None)
    assert list(departures(speech)) == [
        ("task.attention.offset", -1, -4.0),
        ("task.attention.gain", 1.0, "1/sqrt(d)"),
        ("task.beam_threshold", "no limit", 3.0),
    ]


def test_every_none_of_the_papers_has_a_meaning() -> None:
    """A reader is never told `null`."""
    for module, names in CLASSES.items():
        for name in names:
            cls = getattr(import_module(module), name)
            silent = [key for key, each in parameters(cls).items() if each.default is None]
            assert set(silent) <= set(cls.none_means), name


def test_the_defaults_of_a_users_own_class_are_not_the_papers() -> None:
    own = {**MECHANISM, "init_args": {"gain": 2.0}}
    assert list(departures(recogniser(attention=own, layers=1))) == [("task.layers", 1, 3)]
    assert list(departures(toy_spec(hidden=8).config["task"])) == []


def test_nor_are_those_of_a_mechanism_from_elsewhere() -> None:
    other = {"class_path": "mocha_lightning.attention.MILk", "init_args": {"noise_std": 3.0}}
    assert list(departures(recogniser(attention=other, layers=1))) == [("task.layers", 1, 3)]


def test_who_is_not_of_the_paper_is_said_so() -> None:
    milk = {"class_path": "mocha_lightning.attention.MILk"}
    assert list(strangers(recogniser(attention=milk))) == [
        "mocha_lightning.attention.MILk is no mechanism of the paper"
    ]
    assert list(strangers(recogniser(attention=MECHANISM))) == [
        "experiment.toy.Mechanism is not of this suite"
    ]


def recogniser(**arguments: Any) -> dict[str, Any]:
    return {"class_path": "mocha_lightning.recognizer.SpeechRecognizer", "init_args": arguments}


def test_an_object_at_its_default_class_is_told_by_its_arguments() -> None:
    schedule = {"class_path": f"{SCHEDULES}.StepDecay", "init_args": {"factor": 0.5}}
    assert list(departures(recogniser(schedule=schedule))) == [("task.schedule.factor", 0.5, 0.1)]


def test_an_object_of_another_class_is_told_as_a_whole() -> None:
    schedule = {"class_path": f"{SCHEDULES}.ExponentialDecay", "init_args": {"start": 5}}
    ((key, here, paper),) = departures(recogniser(schedule=schedule))
    assert key == "task.schedule"
    assert here == schedule
    assert paper["class_path"] == f"{SCHEDULES}.StepDecay"
