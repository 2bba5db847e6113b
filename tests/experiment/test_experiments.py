"""The experiments of the suite: that each can be built, and that they are what they say."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.attention import MAtChA, MoChA, MonotonicAttention
from mocha_lightning.attention.scanning import ScanningAttention
from mocha_lightning.data import Documents, KeyFacts
from mocha_lightning.data.deduplication import split_of
from mocha_lightning.experiment.building import build_models
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.resolving import instantiate
from mocha_lightning.recognizer import SpeechRecognizer
from mocha_lightning.summarizer import Summarizer

FOLDER = Path(__file__).parents[2] / "experiments"
EXPERIMENTS = sorted(FOLDER.glob("*.yaml"))
NEWS = "mocha_lightning.data.CnnDailyMail"
DOCUMENTATION = "mocha_lightning.data.BotocoreDocumentation"


@pytest.mark.parametrize("file", EXPERIMENTS, ids=lambda file: file.stem)
def test_every_experiment_of_the_suite_can_be_built(file: Path, tmp_path: Path) -> None:
    experiment = load_experiment(file, settings=stand_in(file, tmp_path))
    models = build_models(experiment.variants, experiment.metric)
    assert list(models) == [variant.name for variant in experiment.variants]


def stand_in(file: Path, folder: Path) -> dict[str, Any]:
    """What sets another source of a corpus whose vocabulary is known of its texts alone.

    Its data are there once this returns.
    """
    corpus = load_experiment(file).variants[0].config["data"]["class_path"].rpartition(".")[2]
    settings: dict[str, Any] = {"data.cache_dir": str(folder / "cache"), "data.batch_size": 1}
    if corpus == "BotocoreDocumentation":
        settings["data.package"] = str(small_package(folder))
    elif corpus == "CnnDailyMail":
        settings["data.source"] = str(small_news(folder))
    else:
        return {}
    _, data = instantiate(load_experiment(file, settings=settings).variants[0].config)
    data.prepare_data()
    return settings


def small_package(folder: Path) -> Path:
    """A folder in botocore's layout, with a service for each split."""
    wanted = {"train", "validation", "test"}
    for name in map(str, range(200)):
        if split_of(name) not in wanted:
            continue
        wanted.remove(split_of(name))
        place = folder / "botocore/data" / name / "2015-01-01"
        place.mkdir(parents=True)
        text = f"Deletes {name}. {name} tells in its answer what came of what it did at once."
        described = {"operations": {"DeleteIt": {"documentation": text}}}
        (place / "service-2.json").write_text(json.dumps(described))
    return folder / "botocore"


def small_news(folder: Path) -> Path:
    """A folder with the columns of CNN/Daily Mail, an article for each split."""
    for split in ("train", "validation", "test"):
        row = {"article": f"It rained at the {split} .", "highlights": "It rained", "id": split}
        (folder / f"{split}.jsonl").write_text(json.dumps(row))
    return folder


@pytest.mark.parametrize(
    ("settings", "corpus"),
    [({}, DOCUMENTATION), ({"data.class_path": NEWS, "data.source": "away"}, NEWS)],
    ids=["documentation", "news"],
)
def test_the_small_table_2_differs_in_sizes_corpus_and_recipe_alone(
    settings: dict[str, Any], corpus: str
) -> None:
    paper = load_experiment(FOLDER / "cnn_dailymail.yaml")
    twin = load_experiment(FOLDER / "cnn_dailymail-small.yaml", settings=settings)
    assert [each.name for each in twin.variants] == [each.name for each in paper.variants]
    assert twin.metric == paper.metric
    for small, large in zip(twin.variants, paper.variants, strict=True):
        assert small.config["data"]["class_path"] == corpus
        task, of_paper = (each.config["task"]["init_args"] for each in (small, large))
        for name in ("beam_width", "beam_threshold", "lost_mass", "coverage_weight"):
            assert task[name] == of_paper[name]
        assert task["attention"]["class_path"] == of_paper["attention"]["class_path"]
        mechanism = task["attention"]["init_args"]
        for name in ("offset", "chunk_size"):
            assert mechanism.get(name) == of_paper["attention"]["init_args"].get(name)


def test_the_paper_s_summariser_has_every_number_of_appendix_a_2(tmp_path: Path) -> None:
    file = FOLDER / "cnn_dailymail.yaml"
    experiment = load_experiment(file, settings=stand_in(file, tmp_path))
    models = build_models(experiment.variants, experiment.metric)
    offsets = {}
    for name, (task, data) in models.items():
        assert isinstance(task, Summarizer)
        assert isinstance(data, Documents)
        assert (task.beam_width, task.search.threshold) == (8, 3)
        assert task.encoder.lstm.bidirectional
        assert (task.encoder.lstm.input_size, task.encoder.lstm.hidden_size) == (512, 512)
        assert task.decoder.embedding.embedding_dim == 1024
        assert task.decoder.cell.hidden_size == 1024
        assert (task.learning_rate, task.adam_epsilon) == (5e-4, 8e-7)
        # From 50,000 steps on half in 10,000, down to a tenth.
        factors = [task.schedule(step) for step in (0, 50_000, 60_000, 80_000, 90_000)]
        assert factors == [1, 1, 0.5, 0.125, 0.1]
        assert task.coverage_weight == 0
        assert (data.vocabulary_size, data.cut.source_words) == (50_000, 400)
        mechanism = task.decoder.attention
        if isinstance(mechanism, ScanningAttention):
            head = mechanism.head
            assert head.energy.v.shape == (1024,)
            assert head.energy.g.item() == 1 / 32
            assert (head.noise_std, head.noise_ramp) == (1, 0)
            offsets[name] = head.r.item()
    assert offsets == {"monotonic": -1, "mocha_w8": 0}
    chosen = load_experiment(file).variants[0].config
    assert chosen["data"]["init_args"]["batch_size"] == 64
    assert chosen["trainer"]["gradient_clip_val"] == 5


def test_the_reordering_probe_has_a_chunk_that_holds_every_swap_and_one_that_does_not() -> None:
    """All its heads start alike, and documents are enough for a curve by distance."""
    experiment = load_experiment(FOLDER / "reordering.yaml")
    models = build_models(experiment.variants, experiment.metric)
    mechanisms = [
        task.decoder.attention for task, _ in models.values() if isinstance(task, Summarizer)
    ]
    sizes = [each.chunk_size for each in mechanisms if isinstance(each, MoChA)]
    assert sizes == [2, 4, 8, 16]
    data = models["soft"].data
    assert isinstance(data, KeyFacts)
    assert data.rule.unknown_share == 1  # only copying tells an entity
    swaps = [data.rule.swap(row) for row in range(data.counts["test"])]
    assert sizes[-2] <= max(swaps) < sizes[-1]
    assert min(swaps.count(swap) for swap in range(max(swaps) + 1)) >= 50
    starts = {
        (each.head.r.item(), each.head.energy.g.item(), each.head.noise_ramp)
        for each in mechanisms
        if isinstance(each, ScanningAttention)
    }
    assert len(starts) == 1


def test_the_noise_study_varies_noise_gain_and_offset_and_nothing_else() -> None:
    """Little noise and enough, both gains, both offsets: each corner once."""
    experiment = load_experiment(FOLDER / "noise.yaml")
    (demonstration,) = (
        variant
        for variant in load_experiment(FOLDER / "demo.yaml").variants
        if variant.name == "mocha_w2"
    )
    corners = set()
    for variant in experiment.variants:
        config = copy.deepcopy(variant.config)
        mechanism = config["task"]["init_args"]["attention"]["init_args"]
        axes = ("noise_std", "gain", "gain_rate", "offset")
        noise, *gain, offset = (mechanism.pop(axis) for axis in axes)
        corners.add((noise, tuple(gain), offset))
        same = copy.deepcopy(demonstration.config)
        for axis in axes:
            del same["task"]["init_args"]["attention"]["init_args"][axis]
        assert config == same
    assert len(corners) == len(experiment.variants) == 10
    paper, high = (None, 1), (1, 20)
    assert corners == {
        *((noise, high, offset) for noise in (1, 3, 5) for offset in (0, -4)),
        *((noise, paper, offset) for noise in (1, 5) for offset in (0, -4)),
    }
    names = {f"noise{noise:g}_r{offset:g}" for noise, _, offset in corners}
    assert names == {each.name.removeprefix("paper_gain_") for each in experiment.variants}


@pytest.mark.parametrize("file", ["matcha", "matcha-small"])
def test_adaptive_chunks_are_set_against_fixed_ones_and_none_all_with_the_same_head(
    file: str,
) -> None:
    experiment = load_experiment(FOLDER / f"{file}.yaml")
    models = build_models(experiment.variants, experiment.metric)
    mechanisms = {
        name: task.decoder.attention
        for name, (task, _) in models.items()
        if isinstance(task, SpeechRecognizer)
    }
    assert [type(each) for each in mechanisms.values()] == [MonotonicAttention, MoChA, MAtChA]
    heads = {
        (each.head.r.item(), each.head.energy.g.item(), each.head.noise_std, each.gain_rate)
        for each in mechanisms.values()
        if isinstance(each, ScanningAttention)
    }
    assert len(heads) == 1
    assert experiment.content["comparisons"] == [["matcha", "mocha_w2"], ["matcha", "monotonic"]]
