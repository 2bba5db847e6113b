"""What is recorded of an experiment is what all commands so far have asked for."""

from pathlib import Path
from typing import Any

import pytest

from experiment.conftest import ExperimentFile
from experiment.running import NOISY, TOY
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.file import ExperimentFile as Content
from mocha_lightning.experiment.file import read_file
from mocha_lightning.experiment.places import run_folder
from mocha_lightning.experiment.prepare import prepare
from mocha_lightning.experiment.record import asked_earlier, record, told

PLAIN = {"plain": TOY["variants"]["plain"]}
LOUD = {"task.mechanism": {**NOISY, "init_args": {"gain": 2}}}
FULL = {**TOY["variants"], "loud": LOUD}
PAIRS = [["noisy", "plain"], ["loud", "plain"], ["loud", "noisy"]]


@pytest.fixture
def folder(toy_file: ExperimentFile, tmp_path: Path) -> Path:
    """Of a full experiment, of which the variants plain and noisy were begun."""
    folder = tmp_path / "runs" / "toy"
    record(load_experiment(toy_file(seeds=[0, 1, 2], variants=FULL, comparisons=PAIRS)), folder)
    for variant in ("plain", "noisy"):
        run_folder(folder, variant, 0).mkdir(parents=True)
    return folder


def recorded(folder: Path) -> Content:
    return read_file(folder / "experiment.yaml")[0]


def test_a_file_with_fewer_variants_and_seeds_makes_nothing_undone(
    toy_file: ExperimentFile, folder: Path
) -> None:
    record(load_experiment(toy_file(seeds=[7, 1], variants=PLAIN, comparisons=[])), folder)
    now = recorded(folder)
    assert now.seeds == [0, 1, 2, 7]
    assert now.variants == {**PLAIN, "noisy": FULL["noisy"]}
    assert now.comparisons == [["noisy", "plain"]]


def test_the_full_file_is_again_what_it_was(toy_file: ExperimentFile, folder: Path) -> None:
    before = (folder / "experiment.yaml").read_text()
    record(load_experiment(toy_file(seeds=[0], variants=PLAIN, comparisons=[])), folder)
    record(load_experiment(toy_file(seeds=[0, 1, 2], variants=FULL, comparisons=PAIRS)), folder)
    assert (folder / "experiment.yaml").read_text() == before


def test_a_variant_of_which_nothing_is_there_goes_with_the_file(
    toy_file: ExperimentFile, folder: Path
) -> None:
    """It was renamed before its first run, say."""
    earlier = asked_earlier(load_experiment(toy_file(seeds=[0, 1, 2], comparisons=[])), folder)
    assert (earlier.variants, earlier.comparisons, earlier.seeds) == ({}, [], [])
    assert told(earlier, folder) == ""


def test_a_comparison_that_the_file_has_dropped_is_dropped(
    toy_file: ExperimentFile, folder: Path
) -> None:
    record(load_experiment(toy_file(comparisons=[])), folder)
    assert recorded(folder).comparisons == []


def test_what_a_user_takes_out_of_the_record_stays_out(
    toy_file: ExperimentFile, folder: Path
) -> None:
    fewer = load_experiment(toy_file(seeds=[0], variants=PLAIN, comparisons=[]))
    toy_file(seeds=[0, 1], variants=PLAIN, comparisons=[]).rename(folder / "experiment.yaml")
    record(fewer, folder)
    assert (list(recorded(folder).variants), recorded(folder).seeds) == (["plain"], [0, 1])


def test_it_is_said_in_a_line(toy_file: ExperimentFile, folder: Path) -> None:
    file = toy_file(seeds=[0], variants=PLAIN, comparisons=[])
    experiment = load_experiment(file)
    earlier = prepare(experiment, experiment.runs("cmd"), folder).earlier
    assert told(earlier, folder) == (
        "Earlier commands asked for variant noisy and seeds 1, 2 besides: they stay, and the "
        f"report shows them too, unless you take them out of {folder}/experiment.yaml"
    )


def test_runs_of_a_variant_that_stays_share_the_base_or_are_refused(
    toy_file: ExperimentFile, folder: Path
) -> None:
    """Else the report would refuse them, hours later."""
    full = load_experiment(toy_file())
    for spec in full.runs("cmd", ["noisy"]):
        run = run_folder(folder, spec.variant, spec.seed)
        (run / "checkpoints").mkdir(parents=True)
        spec.write(run)
    task = {**TOY["task"], "init_args": {"learning_rate": 0.01}}
    fewer = load_experiment(toy_file(variants=PLAIN, comparisons=[], task=task))
    with pytest.raises(UserError, match=r"noisy/seed-0: was done with another base"):
        prepare(fewer, fewer.runs("cmd"), folder)


def test_a_variant_that_is_the_base_itself_cannot_stay_beside_others(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    task = {**TOY["task"], "init_args": {"learning_rate": 0.05, "mechanism": NOISY}}
    alone: dict[str, Any] = {"task": task, "comparisons": []}
    record(load_experiment(toy_file(variants={"mine": {}}, **alone)), tmp_path)
    run_folder(tmp_path, "mine", 0).mkdir(parents=True)
    with pytest.raises(UserError, match=r"mine: has runs of the base itself.*--name"):
        asked_earlier(load_experiment(toy_file(variants=PLAIN, **alone)), tmp_path)


def test_a_damaged_record_is_not_overwritten(toy_file: ExperimentFile, folder: Path) -> None:
    experiment = load_experiment(toy_file())
    (folder / "experiment.yaml").write_text("seeds: [0\n")
    with pytest.raises(UserError, match=r"experiment\.yaml:2: not YAML: .*or remove"):
        record(experiment, folder)
    assert (folder / "experiment.yaml").read_text() == "seeds: [0\n"
