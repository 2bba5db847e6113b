"""The sweeps that come with the package."""

from pathlib import Path

import pytest

from mocha_lightning.sweep.definition import load_sweep
from mocha_lightning.sweep.space import ends

SWEEPS = sorted((Path(__file__).parents[2] / "sweeps").glob("*.yaml"))


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_each_is_one_and_every_end_of_its_space_is_a_setting(path: Path) -> None:
    sweep = load_sweep(path)
    assert sweep.name == path.stem
    for place, values in ends(sweep.space):
        assert sweep.setting(place, values).name == place


@pytest.mark.parametrize("task", ["speech", "summarization"])
@pytest.mark.parametrize("mechanism", ["mocha", "monotonic"])
def test_each_has_a_small_twin_that_seeks_the_same(task: str, mechanism: str) -> None:
    name = f"{task}-{mechanism}"
    paper, small = (
        load_sweep(SWEEPS[0].with_name(f"{each}.yaml")) for each in (name, f"{name}-small")
    )
    assert paper.space == small.space
    assert paper.metric == small.metric
    assert paper.trials >= small.trials
