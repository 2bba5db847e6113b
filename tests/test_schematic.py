"""The paper's Figure 1, held against Algorithm 1 as a plain loop over the same energies."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from oracles.attention import additive_energy, algorithm_1, monotonic_energy, soft_weights

from mocha_lightning.attention.energy import AdditiveEnergy
from mocha_lightning.cli import main
from mocha_lightning.pictures.schematic import Grid
from mocha_lightning.schematic import (
    ENTRIES,
    OUTPUTS,
    Scene,
    figure_1,
    figure_of_appendix_c,
    random_scene,
)

SEEDS = range(12)
Energies = Callable[[int, int], float]


def weights_of(energy: AdditiveEnergy) -> dict[str, np.ndarray]:
    parameters = {
        "v": energy.v,
        "w_h": energy.memory_projection.weight,
        "w_s": energy.query_projection.weight,
        "b": energy.memory_projection.bias,
    }
    return {name: each.detach().double().numpy() for name, each in parameters.items()}


def states(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    return scene.memory[0].double().numpy(), scene.queries.double().numpy()


def head_energies(scene: Scene) -> Energies:
    h, s = states(scene)
    head = scene.mocha.head
    g, r, weights = head.energy.g.item(), head.r.item(), weights_of(head.energy)
    return lambda i, j: monotonic_energy(g, r, h=h[j], s=s[i], **weights)


def chunk_energies(scene: Scene) -> Energies:
    h, s = states(scene)
    energy = scene.mocha.chunk_energy
    g, weights = energy.g.item(), weights_of(energy)
    return lambda i, j: monotonic_energy(g, 0.0, h=h[j], s=s[i], **weights)


def decoded(scene: Scene, chunk_size: int) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Weights, stops, and which monotonic energies Algorithm 1 asks for.

    The context over a memory of unit vectors is the weights.
    """
    asked = np.zeros((OUTPUTS, ENTRIES), bool)
    energies = head_energies(scene)

    def watched(i: int, j: int) -> float:
        asked[i, j] = True
        return energies(i, j)

    weights, stops = algorithm_1(
        np.eye(ENTRIES), OUTPUTS, chunk_size, watched, chunk_energies(scene)
    )
    return weights, stops, asked


@pytest.mark.parametrize("seed", SEEDS)
def test_hard_monotonic_attention_and_mocha_are_algorithm_1(seed: int) -> None:
    scene = random_scene(seed)
    _, *scanning = figure_1(scene)
    for grid, chunk_size in zip(scanning, (1, 3), strict=True):
        weights, stops, asked = decoded(scene, chunk_size)
        np.testing.assert_allclose(grid.weights, weights, atol=1e-5)
        assert grid.stops == tuple(stops)
        np.testing.assert_array_equal(grid.inspected, asked)


@pytest.mark.parametrize("seed", SEEDS)
def test_soft_attention_is_the_softmax_of_the_same_energies_over_all_entries(seed: int) -> None:
    scene = random_scene(seed)
    soft, *_ = figure_1(scene)
    h, s = states(scene)
    own, shared = weights_of(scene.soft.energy), chunk_energies(scene)
    for i, row in enumerate(soft.weights):
        energies = [additive_energy(h=h[j], s=s[i], **own) for j in range(ENTRIES)]
        np.testing.assert_allclose(energies, [shared(i, j) for j in range(ENTRIES)], atol=1e-5)
        np.testing.assert_allclose(row, soft_weights(np.array(energies)), atol=1e-5)
    assert soft.stops is None
    assert not soft.inspected.any()
    assert not soft.chunks


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chunk_of_matcha_reaches_from_the_last_stop_to_this_one(seed: int) -> None:
    scene = random_scene(seed)
    (grid,) = figure_of_appendix_c(scene)
    _, stops, asked = decoded(scene, 1)
    u = chunk_energies(scene)
    assert grid.stops == tuple(stops)
    np.testing.assert_array_equal(grid.inspected, asked)
    for i, (last, stop) in enumerate(zip([0, *stops], stops, strict=False)):
        expected = np.zeros(ENTRIES)
        if stop < ENTRIES:
            chunk = range(last, stop + 1)
            expected[list(chunk)] = soft_weights(np.array([u(i, j) for j in chunk]))
        np.testing.assert_allclose(grid.weights[i], expected, atol=1e-5)


def test_the_seeds_show_what_can_happen() -> None:
    """A head moves on, stays, and passes the end; chunks begin before the memory."""
    every = [figure_1(random_scene(seed))[2] for seed in SEEDS]
    moves = {
        (stop < ENTRIES, stop == last)
        for grid in every
        for last, stop in zip(grid.stops, grid.stops[1:], strict=False)
    }
    assert {(True, False), (True, True), (False, False)} <= moves
    assert any(grid.stops[0] < 2 for grid in every)


def test_the_default_has_a_context_for_every_output(tmp_path: Path) -> None:
    default = figure_1(random_scene(21))[2]
    assert max(default.stops) < ENTRIES
    assert len(set(default.stops)) < OUTPUTS  # it stays somewhere, too


def test_a_scene_is_its_seed_s_and_leaves_the_random_state_alone() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    first = random_scene(5)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(4)
    again, other = random_scene(5), random_scene(6)
    assert torch.equal(first.memory, again.memory)
    assert same(figure_1(first), figure_1(again))
    assert not same(figure_1(first), figure_1(other))


def same(one: list[Grid], other: list[Grid]) -> bool:
    return all(np.array_equal(a.weights, b.weights) for a, b in zip(one, other, strict=True))


def test_the_command_writes_its_figures_for_screens_and_print(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main(["schematic", "--seed", "1", "--reports", str(tmp_path)])
        assert ended.value.code == 0
    page = (tmp_path / "schematic" / "schematic.md").read_text()
    for name in re.findall(r"\((figures/[^)]+)\)", page):
        assert (tmp_path / "schematic" / name).is_file()
    assert page.splitlines()[-1].startswith("Reproduce: mocha-lightning schematic --seed 1 --rep")
    folder = tmp_path / "schematic" / "figures"
    assert str(folder / "schematic.png") in capsys.readouterr().out
    kinds = {path.name: path.read_bytes()[:4] for path in folder.iterdir()}
    assert kinds == {
        **dict.fromkeys(("schematic.png", "matcha.png"), b"\x89PNG"),
        **dict.fromkeys(("schematic.pdf", "matcha.pdf"), b"%PDF"),
    }


def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(SystemExit) as ended:
        main(["schematic", "--reports", str(tmp_path / "taken")])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
