"""What differs from the paper is what differs from the defaults of the classes."""

from typing import Any

from experiment.running import MECHANISM, toy_spec
from mocha_lightning.experiment.departures import departures, strangers

SCHEDULES = "mocha_lightning.training.schedules"


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
