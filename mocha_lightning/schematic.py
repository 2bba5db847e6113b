"""What the paper's Figure 1 shows, by the mechanisms themselves: hard decoding, step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from mocha_lightning.attention import Attention, MAtChA, MoChA, MonotonicAttention, SoftAttention
from mocha_lightning.attention.chunkwise import ChunkwiseAttention
from mocha_lightning.attention.energy import Keys, NormalisedEnergy
from mocha_lightning.pictures.schematic import Grid

ENTRIES, OUTPUTS = 10, 6
DIM = 8
"""Of memory, queries and energies."""
CHUNK_SIZE = 3
"""The paper's Figure 1 has it."""
GAIN = 3.0
"""Larger than the paper's, whose energies are near 0 before training: shades are to differ."""
SLOPE, LEAD = 2.0, 1.5
"""How sharply energies change with the distance from an output's place, and how much they do."""


class Scene(NamedTuple):
    """A memory, queries, and mechanisms that see them by the same energies.

    All with a monotonic head have the same one, and soft attention has the chunks' energy. States
    and weights are random, but that each output has a place in the memory: the first number of a
    state tells its place, up to which the head rather passes, and where chunks have their highest
    energies.

    Attributes:
        memory: h, of one utterance.
        queries: s_0, s_1, ...
        soft, monotonic, mocha, matcha: the mechanisms.
    """

    memory: Float[Tensor, "1 time dim"]
    queries: Float[Tensor, "outputs dim"]
    soft: SoftAttention
    monotonic: MonotonicAttention
    mocha: MoChA
    matcha: MAtChA


class _WatchedKeys(Keys):
    """Keys that note which entries they are asked for."""

    asked: set[int]

    def at(self, rows: Tensor, entries: Tensor) -> Keys:
        self.asked.update(entries.flatten().tolist())
        return super().at(rows, entries)


def random_scene(seed: int) -> Scene:
    """Draw a scene; the same for the same seed, whatever was drawn before."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        dims = (DIM, DIM, DIM)
        mocha = MoChA(*dims, chunk_size=CHUNK_SIZE, offset=0, gain=GAIN)
        _rise(mocha.head.energy, {0: (0.0, LEAD)})
        _rise(mocha.chunk_energy, {0: (1.0, LEAD), 1: (-1.0, -LEAD)})
        monotonic, matcha, soft = MonotonicAttention(*dims), MAtChA(*dims), SoftAttention(*dims)
        monotonic.head.load_state_dict(mocha.head.state_dict())
        matcha.load_state_dict(mocha.state_dict())
        energy = {**mocha.chunk_energy.state_dict(), "v": mocha.chunk_energy.direction()}
        del energy["g"]
        soft.energy.load_state_dict(energy)
        memory, queries = torch.randn(1, ENTRIES, DIM), torch.randn(OUTPUTS, DIM)
        memory[0, :, 0] = torch.arange(ENTRIES)
        queries[:, 0] = (ENTRIES * torch.rand(OUTPUTS)).sort().values
    return Scene(memory, queries, soft, monotonic, mocha, matcha)


def _rise(energy: NormalisedEnergy, units: Mapping[int, tuple[float, float]]) -> None:
    """Have some of an energy's hidden units rise with how far an entry is beyond the query's place.

    Args:
        energy: whose weights are set.
        units: by unit, how many entries before that place it is 0, and its share in v.
    """
    for projection in (energy.memory_projection, energy.query_projection):
        projection.weight[:, 0] = 0
        projection.weight[list(units)] = 0
    for unit, (before, share) in units.items():
        energy.memory_projection.weight[unit, 0] = SLOPE
        energy.query_projection.weight[unit, 0] = -SLOPE
        energy.memory_projection.bias[unit] = SLOPE * before
        energy.v[unit] = share


def figure_1(scene: Scene) -> list[Grid]:
    """The paper's Figure 1: soft, hard monotonic and chunkwise attention."""
    return [
        decoded("soft attention", scene.soft, scene),
        decoded("hard monotonic attention", scene.monotonic, scene),
        decoded(f"MoChA, w = {scene.mocha.chunk_size}", scene.mocha, scene),
    ]


def figure_of_appendix_c(scene: Scene) -> list[Grid]:
    """The paper's schematic of MAtChA."""
    return [decoded("MAtChA", scene.matcha, scene)]


@torch.no_grad()
def decoded(name: str, attention: Attention, scene: Scene) -> Grid:
    """Attend hard at each output, and note what is inspected and what is attended to."""
    memory = attention.prepare(scene.memory, torch.ones(scene.memory.shape[:2], dtype=torch.bool))
    watched = _WatchedKeys(*_keys(memory.keys[0]))
    memory = replace(memory, keys=(watched, *memory.keys[1:]))
    state = attention.hard_start(memory)
    weights, inspected, stops = [], [], []
    for query in scene.queries.unsqueeze(1):
        watched.asked = set()
        attended = attention.hard_step(query, memory, state)
        state = attended.state
        weights.append(attended.over(ENTRIES)[0].numpy())
        inspected.append([j in watched.asked for j in range(ENTRIES)])
        stops.append(None if attended.stop is None else int(attended.stop))
    return Grid(
        name=name,
        weights=np.array(weights),
        inspected=np.array(inspected),
        stops=_all_or_none(stops),
        chunks=isinstance(attention, ChunkwiseAttention),
    )


def _keys(keys: object) -> Keys:
    assert isinstance(keys, Keys)  # projected once, as is the default
    return keys


def _all_or_none(stops: Sequence[int | None]) -> tuple[int, ...] | None:
    having = tuple(stop for stop in stops if stop is not None)
    return having or None
