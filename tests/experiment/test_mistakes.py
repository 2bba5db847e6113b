"""Experiment files: what is refused before anything runs, by file, line and key."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from experiment.conftest import ExperimentFile
from experiment.running import MECHANISM, NOISY, TOY
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment

WIDE = {**MECHANISM, "init_args": {"wide": True}}


def noisy(**arguments: Any) -> dict[str, Any]:
    """The variants, with the second one changed."""
    return {"variants": {**TOY["variants"], "noisy": arguments}}


def mechanism(**arguments: Any) -> dict[str, Any]:
    return noisy(**{"task.mechanism": {**NOISY, "init_args": arguments}})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        # The form of the file.
        ({"comparison": []}, "comparison: is no key of an experiment: did you mean comparisons?"),
        ({"seeds": []}, "seeds: List should have at least 1 item"),
        ({"seeds": [0, 0]}, "seeds.1: 0 is there twice"),
        ({"seeds": [-1]}, "seeds.0: should be greater than or equal to 0, not -1"),
        ({"seeds": [0.5]}, "seeds.0: should be a valid integer, not 0.5"),
        ({"seeds": [True]}, "seeds.0: should be a valid integer, not True"),
        (
            {"metric": {"name": "error", "mode": "min"}},
            "metric.name: 'error' must begin with test/",
        ),
        (
            {"metric": {"name": "test/error", "mode": "low"}},
            "metric.mode: should be 'min' or 'max'",
        ),
        ({"metric": {"name": "test/error"}}, "metric.mode: is missing"),
        (
            {"published": {"source": "T", "data": "D", "row": {}}},
            "published.rows: is missing: add it",
        ),
        (
            {"published": {"source": "T", "data": "D", "rows": {"a": {"best": "x"}}}},
            "published.rows.a.best",
        ),
        (
            {"published": {"source": "T", "data": "D", "rows": {"a": {}}, "sauce": ""}},
            "published.sauce: is no key of an experiment: did you mean source?",
        ),
        ({"variants": {}}, "variants: Dictionary should have at least 1 item"),
        ({"threads": 0}, "threads: should be greater than 0"),
        ({"notes": "a"}, "notes: should be a valid list"),
        ({"comparisons": [["plain", "noisi"]]}, "comparisons.0: no variant is named 'noisi': did"),
        ({"comparisons": [["plain", "plain"]]}, "comparisons.0: compares plain with itself"),
        ({"comparisons": [["plain"]]}, "comparisons.0: must be two names of variants"),
        ({"comparisons": [["plain", "noisy", "a"]]}, "comparisons.0: must be two names of"),
        ({"comparisons": [["plain", 3]]}, "comparisons.0: must be two names of variants"),
        ({"comparisons": ["plain"]}, "comparisons.0: must be two names of variants"),
        (
            {"comparisons": [["plain", "noisy"], ["noisy", "plain"]]},
            "comparisons.1: is there twice",
        ),
        # Names and paths of variants.
        ({"variants": {"a/b": {"data.size": 1}}}, "variants.a/b: 'a/b' cannot name a folder"),
        ({"variants": {"..": {"data.size": 1}}}, "variants...: '..' cannot name a folder"),
        (
            {"variants": {"Experiment.yaml": {"data.size": 1}}, "comparisons": []},
            "variants.Experiment.yaml: is the name of a file beside the variants",
        ),
        (noisy(), "variants.noisy: changes nothing"),
        (noisy(seeds=[1]), "variants.noisy.seeds: must begin with task, data, trainer"),
        (
            noisy(task={}),
            "variants.noisy.task: is all of task: set task.class_path and the other arguments one",
        ),
        (noisy(**{"task.a.b": 1}), "variants.noisy.task.a.b: the base has no task.a to set"),
        (
            noisy(**{"task.learning_rate.b": 1}),
            "variants.noisy.task.learning_rate.b: task.learning_rate is no class or mapping",
        ),
        (
            noisy(**{"task.mechanism": NOISY, "task.mechanism.gain": 2}),
            "variants.noisy.task.mechanism.gain: lies within task.mechanism",
        ),
        (noisy(**{"task.mechanism": MECHANISM}), "variants.noisy: is the same as variant plain"),
        (
            noisy(**{"task.mechanism": {**MECHANISM, "init_args": {"gain": 1.0}}}),
            "variants.noisy: is the same as variant plain",
        ),
        # Classes and their arguments.
        (mechanism(nois=1), "variants.noisy.task.mechanism.nois: Noisy has no argument nois: did"),
        (mechanism(noise="a"), "task.mechanism.noise: is 'a', but must be float"),
        (
            mechanism(noise=float("inf")),
            "task.mechanism.noise: is inf, but must be a finite number",
        ),
        (mechanism(noise=None), "task.mechanism.noise: is empty, but must be float"),
        (
            noisy(**{"task.mechanism": {"class_path": "experiment.toy.Noise"}}),
            "task.mechanism.class_path: experiment.toy has no class Noise: did you mean Noisy?",
        ),
        (
            noisy(**{"task.mechanism": {"class_path": "experiment.toi.Noisy"}}),
            "task.mechanism.class_path: there is no module experiment.toi",
        ),
        (
            noisy(**{"task.mechanism": {"class_path": "Noisy"}}),
            "task.mechanism.class_path: 'Noisy' is no import path",
        ),
        (
            noisy(**{"task.mechanism": {"class_path": "experiment.toy.ToyData"}}),
            "task.mechanism.class_path: experiment.toy.ToyData is no Mechanism",
        ),
        (
            noisy(**{"task.mechanism": {**NOISY, "args": {}}}),
            "task.mechanism.args: is no key here: arguments of the class go in init_args",
        ),
        (noisy(**{"task.mechanism": 3}), "task.mechanism: is 3, but must be Callable[[int], "),
        (noisy(**{"task.hidden": 3}), "task (variant noisy): ToyTask needs mechanism"),
        (mechanism(dim=3), "variants.noisy.task.mechanism.dim: Noisy has no argument dim to set"),
        (
            {"data": {"class_path": "experiment.toy.ToyTask"}},
            "data.class_path (variant plain): experiment.toy.ToyTask is no DataModule",
        ),
        (
            {"data": {"class_path": "experiment.toy.ToyData", "init_args": {"size": 2.5}}},
            "data.size (variant plain): is 2.5, but must be int",
        ),
        # The trainer.
        ({"trainer": {"val_check_interval": 5}}, "max_steps must be a whole number above 0"),
        (
            {"trainer": {"max_steps": -1, "val_check_interval": 5}},
            "trainer.max_steps (variant plain): max_steps must be a whole number above 0",
        ),
        (
            {"trainer": {"max_steps": 20, "val_check_interval": 7}},
            "trainer.val_check_interval (variant plain): must divide max_steps",
        ),
        (
            {"trainer": {**TOY["trainer"], "logger": False}},
            "trainer.logger (variant plain): the runner sets this itself: remove it",
        ),
        (
            {"trainer": {**TOY["trainer"], "gradient_clip": 1}},
            "trainer.gradient_clip (variant plain): Trainer has no argument gradient_clip: did",
        ),
        (
            {"trainer": {**TOY["trainer"], "gradient_clip_val": float("inf")}},
            "trainer.gradient_clip_val (variant plain): must be at least 0 and finite, not inf",
        ),
        (
            {"trainer": {**TOY["trainer"], "log_every_n_steps": None}},
            "trainer.log_every_n_steps (variant plain): must be a number, not None",
        ),
        (
            noisy(**{"task.hidden": 8, "task.init_args.hidden": 9}),
            "task.hidden: sets what task.init_args.hidden sets too: remove one",
        ),
        (
            {"trainer": {**TOY["trainer"], "gradient_clip_val": "a"}},
            "trainer.gradient_clip_val (variant plain): must be a number, not 'a'",
        ),
    ],
)
def test_a_mistake_is_named_by_file_line_and_key(
    toy_file: ExperimentFile, changes: dict[str, Any], said: str
) -> None:
    file = toy_file(**changes)
    with pytest.raises(UserError) as caught:
        load_experiment(file)
    message = str(caught.value)
    assert said in message
    assert message.startswith(f"{file}:")
    assert "\n" not in message


def test_the_line_is_that_of_the_variant_which_set_the_value(tmp_path: Path) -> None:
    file = tmp_path / "toy.yaml"
    text = yaml.safe_dump({**TOY, "variants": {}}, sort_keys=False)
    text = text.replace(
        "variants: {}",
        "variants:\n"
        "  plain: {task.mechanism: {class_path: experiment.toy.Mechanism}}\n"
        "  noisy:\n"
        "    task.mechanism:\n"
        "      class_path: experiment.toy.Noisy\n"
        "      init_args:\n"
        "        gain: 1\n"
        "        noise: much\n",
    )
    file.write_text(text)
    line = 1 + text.splitlines().index("        noise: much")
    with pytest.raises(UserError, match=rf":{line}: variants\.noisy\.task\.mechanism\.noise: is"):
        load_experiment(file)


def test_a_variant_may_be_the_base_and_none_may_be_another(toy_file: ExperimentFile) -> None:
    task = {**TOY["task"], "init_args": {"mechanism": MECHANISM}}
    variants = {"a": {"task.hidden": 4}, "b": {"task.mechanism": WIDE}}
    load_experiment(toy_file(task=task, variants=variants, comparisons=[]))
    variants["c"] = {"task.mechanism": MECHANISM}
    with pytest.raises(UserError, match=r"variants\.c: is the same as variant a: change"):
        load_experiment(toy_file(task=task, variants=variants, comparisons=[]))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hidden": 3}, "--set hidden: must begin with"),
        ({"task.hiden": 3}, "--set task.hiden: ToyTask has no"),
        ({"task.hidden": "x"}, "--set task.hidden: is 'x', but"),
        ({"task.a.b": 3}, "--set task.a.b: the base has no task.a"),
    ],
)
def test_a_mistake_of_the_command_line_is_named_by_its_option(
    toy_file: ExperimentFile, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError) as caught:
        load_experiment(toy_file(), settings=settings)
    assert str(caught.value).startswith(said)


def test_names_and_seeds_of_the_command_line_are_checked(toy_file: ExperimentFile) -> None:
    with pytest.raises(UserError, match="--name: 'a/b' cannot name a folder"):
        load_experiment(toy_file(), name="a/b")
    with pytest.raises(UserError, match="--seeds: 3 is there twice"):
        load_experiment(toy_file(), seeds=[3, 3])
    with pytest.raises(UserError, match="--variants: no variant is named 'noisi': did you mean"):
        load_experiment(toy_file()).runs("cmd", ["noisi"])


def test_a_class_that_does_not_say_its_types_is_told_to(
    toy_file: ExperimentFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "untyped.py").write_text(
        "from experiment.toy import Mechanism\n"
        "class Mine(Mechanism):\n"
        "    def __init__(self, dim: int, extra):\n"
        "        super().__init__(dim)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    mine = {"class_path": "untyped.Mine", "init_args": {"extra": 1}}
    file = toy_file(**noisy(**{"task.mechanism": mine}))
    with pytest.raises(UserError, match=r"untyped\.Mine\S* must give its argument extra a type"):
        load_experiment(file)


def test_a_module_that_cannot_be_imported_is_said_so(
    toy_file: ExperimentFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_module.py").write_text("def f(:\n")
    (tmp_path / "needy_module.py").write_text("import not_installed_anywhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    for module, said in (
        ("broken_module", "importing broken_module failed: SyntaxError"),
        ("needy_module", "importing needy_module failed: No module named 'not_installed_anywhere'"),
    ):
        changes = noisy(**{"task.mechanism": {"class_path": f"{module}.Mine"}})
        with pytest.raises(UserError, match=said):
            load_experiment(toy_file(**changes))
