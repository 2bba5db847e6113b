"""What W&B is told of a run: its names, and its configuration as columns."""

from dataclasses import replace
from typing import Any

from experiment.running import toy_spec
from mocha_lightning.experiment.identity import columns, identity_of
from mocha_lightning.experiment.spec import RunSpec

MOCHA = {
    "class_path": "mocha_lightning.attention.MoChA",
    "init_args": {"chunk_size": 2, "offset": -4.0},
}
SOFT: dict[str, Any] = {"class_path": "mocha_lightning.attention.SoftAttention", "init_args": {}}


def spec_with(**arguments: Any) -> RunSpec:
    """A run of some task with these arguments."""
    config = {
        "task": {"class_path": "somewhere.Recognizer", "init_args": arguments},
        "data": {"class_path": "somewhere.Digits", "init_args": {"rate": 8, "shelf": "/home/me"}},
        "trainer": {"max_steps": 20},
    }
    return replace(toy_spec(seed=3), config=config, data_sha256="f" * 64)


def test_runs_are_grouped_by_experiment_and_by_variant_and_named_by_seed() -> None:
    identity = identity_of(spec_with(attention=MOCHA))
    assert (identity.group, identity.job_type) == ("toy", "plain")
    assert identity.name == "plain/seed-3"
    assert identity.artifact == "toy-plain-seed-3"


def test_the_tags_are_the_classes_and_none_is_longer_than_wandb_takes() -> None:
    stranger = {"class_path": f"own.{'A' * 80}"}
    identity = identity_of(spec_with(attention=MOCHA, encoder=stranger))
    assert identity.tags == ("A" * 64, "Digits", "MoChA", "Recognizer")


def test_what_a_mechanism_is_built_with_are_columns_of_their_own() -> None:
    config = identity_of(spec_with(attention=MOCHA)).config
    assert config["attention"] == {"class": "MoChA", "chunk_size": 2, "offset": -4.0}


def test_what_a_mechanism_does_not_have_is_not_there() -> None:
    config = identity_of(spec_with(attention=SOFT)).config
    assert config["attention"] == {"class": "SoftAttention"}


def test_what_a_run_is_of_is_in_its_configuration() -> None:
    spec = spec_with(attention=MOCHA)
    config = identity_of(spec).config
    assert [config[key] for key in ("experiment", "variant", "seed")] == ["toy", "plain", 3]
    assert config["config_hash"] == spec.config_hash
    assert config["metric"] == {"name": "test/error", "mode": "min"}
    assert config["trainer"] == {"max_steps": 20}
    assert config["task"] == {"class": "Recognizer"}


def test_where_files_lie_is_left_out_and_the_datas_checksum_is_told() -> None:
    config = identity_of(spec_with()).config
    assert config["data"] == {"class": "Digits", "rate": 8, "sha256": "f" * 64}


def test_an_argument_of_the_task_that_is_called_as_another_column_is_not_lost() -> None:
    config = identity_of(spec_with(seed=7, hidden=4)).config
    assert (config["seed"], config["hidden"]) == (3, 4)
    assert config["task"] == {"class": "Recognizer", "seed": 7}


def test_classes_within_lists_are_told_by_name_too() -> None:
    assert columns({"layers": [MOCHA, 3]}) == {
        "layers": [{"class": "MoChA", "chunk_size": 2, "offset": -4.0}, 3]
    }


def test_the_best_is_told_by_the_validation_twin_of_the_metric() -> None:
    identity = identity_of(replace(spec_with(), metric=toy_spec(mode="max").metric))
    assert (identity.metric, identity.mode) == ("val/error", "max")
