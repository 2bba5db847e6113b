"""A variant that names another class: it takes the base's arguments that the class has."""

from pathlib import Path
from typing import Any

import pytest

from experiment.conftest import ExperimentFile
from experiment.running import BARE, MECHANISM, NOISY, TOY
from experiment.toy import BareTask, ToyTask
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import Variant, load_experiment


def variant(file: ExperimentFile, task: dict[str, Any], **says: Any) -> Variant:
    """The variant that says so, beside the toy's plain one."""
    init_args = {"class_path": "experiment.toy.ToyTask", "init_args": task}
    variants = {"plain": TOY["variants"]["plain"], "other": says}
    return load_experiment(file(task=init_args, variants=variants, comparisons=[])).variants[1]


def arguments(found: Variant) -> dict[str, Any]:
    content: dict[str, Any] = found.config["task"]["init_args"]
    return content


def test_what_both_classes_have_is_taken_over_and_the_rest_drops_away(
    toy_file: ExperimentFile,
) -> None:
    base = {"learning_rate": 0.05, "hidden": 8, "step_seconds": 0.0}
    found = variant(toy_file, base, **{"task.class_path": BARE})
    assert found.config["task"]["class_path"] == BARE
    assert arguments(found) == {"learning_rate": 0.05, "hidden": 8, "decay": 0.5}
    assert found.differences == {"task.class_path": BARE}


def test_so_are_defaults_since_only_what_a_variant_says_may_differ(
    toy_file: ExperimentFile,
) -> None:
    assert ToyTask(3, lambda _: None).learning_rate == 0.01  # type: ignore[arg-type, return-value]
    assert BareTask(3).learning_rate == 0.001
    found = variant(toy_file, {}, **{"task.class_path": BARE})
    assert arguments(found)["learning_rate"] == 0.01


@pytest.mark.parametrize("class_first", [True, False])
def test_a_variant_may_set_arguments_of_the_new_class(
    toy_file: ExperimentFile, class_first: bool
) -> None:
    says = [("task.class_path", BARE), ("task.decay", 0.25), ("task.hidden", 6)]
    found = variant(toy_file, {"hidden": 8}, **dict(says if class_first else says[::-1]))
    assert arguments(found) == {"learning_rate": 0.01, "hidden": 6, "decay": 0.25}


def test_a_class_within_another_is_changed_alike(toy_file: ExperimentFile) -> None:
    base = {"mechanism": {**MECHANISM, "init_args": {"gain": 2.0, "wide": True}}}
    path = {"task.mechanism.class_path": NOISY["class_path"], "task.mechanism.noise": 0.3}
    found = variant(toy_file, base, **path)
    assert arguments(found)["mechanism"] == {**NOISY, "init_args": {"gain": 2.0, "noise": 0.3}}


def test_the_command_line_can_change_the_class_of_the_base(toy_file: ExperimentFile) -> None:
    variants = {"slow": {"task.decay": 0.1}, "fast": {"task.decay": 0.9}}
    file = toy_file(variants=variants, comparisons=[])
    experiment = load_experiment(file, settings={"task.class_path": BARE})
    assert [arguments(each) for each in experiment.variants] == [
        {"learning_rate": 0.05, "hidden": 4, "decay": decay} for decay in (0.1, 0.9)
    ]


@pytest.mark.parametrize(
    ("says", "key", "problem"),
    [
        (
            {"task.class_path": "experiment.toy.BearTask"},
            "task.class_path",
            "experiment.toy has no class BearTask: did you mean BareTask",
        ),
        ({"task.class_path": 3}, "task.class_path", "3 is no import path"),
        (
            {"task.class_path": "experiment.toy.ToyData"},
            "task.class_path",
            "experiment.toy.ToyData is no Task",
        ),
        (
            {"task.step_seconds": 1.0, "task.class_path": BARE},
            "task.step_seconds",
            "BareTask has no argument step_seconds: there is",
        ),
        (
            {"task.class_path": BARE, "task.mechanism.gain": 2.0},
            "task.mechanism.gain",
            "the base has no task.mechanism to set this in",
        ),
        (
            {"task.class_path": BARE, "task.hidden": "many"},
            "task.hidden",
            "is 'many', but must be int",
        ),
    ],
)
def test_a_mistake_is_named_by_the_variants_file_line_and_key(
    toy_file: ExperimentFile, says: dict[str, Any], key: str, problem: str
) -> None:
    base = {"mechanism": MECHANISM, "step_seconds": 0.5}
    with pytest.raises(UserError) as caught:
        variant(toy_file, base, **says)
    place, said = str(caught.value).split(f": variants.other.{key}: ")
    assert said.startswith(problem)
    path, line = place.rsplit(":", 1)
    assert Path(path).read_text().splitlines()[int(line) - 1].strip().startswith(f"{key}:")


def test_a_mistake_in_the_base_does_not_drop_away(toy_file: ExperimentFile) -> None:
    with pytest.raises(UserError, match=r"task\.hiden \(variant other\): BareTask has no argument"):
        load_experiment(
            toy_file(
                task={**TOY["task"], "init_args": {"hiden": 8}},
                variants={"other": {"task.class_path": BARE}},
                comparisons=[],
            )
        )


def test_a_line_makes_ctc_a_variant_of_an_experiment_with_attention(
    toy_file: ExperimentFile,
) -> None:
    base = {"layers": 1, "beam_width": 1, "decoder_dim": 32, "outputs_per_entry": 0.5}
    attention = {"class_path": "mocha_lightning.attention.MoChA"}
    file = toy_file(
        task={"class_path": "mocha_lightning.recognizer.SpeechRecognizer", "init_args": base},
        variants={
            "mocha": {"task.attention": attention},
            "joint": {"task.attention": attention, "task.ctc_weight": 0.3},
            "ctc": {"task.class_path": "mocha_lightning.recognizer.CtcRecognizer"},
        },
        comparisons=[],
    )
    mocha, joint, ctc = map(arguments, load_experiment(file).variants)
    assert joint == {**mocha, "ctc_weight": 0.3}
    alone = {"attention", "decoder_dim", "embedding_dim", "energy_dim", "outputs_per_entry"}
    alone |= {"length_normalization", "quantity_weight", "ctc_weight"}
    assert ctc == {name: value for name, value in mocha.items() if name not in alone}
    assert ctc["layers"] == ctc["beam_width"] == 1
