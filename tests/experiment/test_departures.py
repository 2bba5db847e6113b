"""What differs from the paper is what differs from the defaults of the classes."""

from typing import Any

from experiment.running import MECHANISM, toy_spec
from mocha_lightning.experiment.departures import departures

SCHEDULES = "mocha_lightning.training.schedules"


def test_every_argument_that_is_not_at_its_default_is_told_at_any_depth() -> None:
    spec = toy_spec(mechanism={**MECHANISM, "init_args": {"gain": 2}}, hidden=8)
    assert list(departures(spec.config["task"])) == [
        ("task.mechanism.gain", 2.0, 1.0),
        ("task.learning_rate", 0.05, 0.01),
        ("task.hidden", 8, 4),
    ]


def recogniser(schedule: dict[str, Any]) -> dict[str, Any]:
    return {
        "class_path": "mocha_lightning.recognizer.SpeechRecognizer",
        "init_args": {"schedule": schedule},
    }


def test_an_object_at_its_default_class_is_told_by_its_arguments() -> None:
    schedule = {"class_path": f"{SCHEDULES}.StepDecay", "init_args": {"factor": 0.5}}
    assert list(departures(recogniser(schedule))) == [("task.schedule.factor", 0.5, 0.1)]


def test_an_object_of_another_class_is_told_as_a_whole() -> None:
    schedule = {"class_path": f"{SCHEDULES}.ExponentialDecay", "init_args": {"start": 5}}
    ((key, here, paper),) = departures(recogniser(schedule))
    assert key == "task.schedule"
    assert here == schedule
    assert paper["class_path"] == f"{SCHEDULES}.StepDecay"
