"""What all speech corpora share, shown on one that a user might write."""

import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import pytorch_lightning as pl
import torch

from mocha_lightning.data import GeneratedSpeech, LogMel, SpeechBatch, SpeechData, SpokenNumbers
from mocha_lightning.data.cache import Spoken, Utterance
from mocha_lightning.errors import UserError


class Noises(GeneratedSpeech):
    """A corpus in a dozen lines: noise of various length, with transcripts."""

    name = "noises"

    def __init__(self, cache_dir: Path, text: str = "one two", **sizes: int) -> None:
        sizes = {"batch_size": 4, "eval_batch_size": 3, **sizes}
        super().__init__(LogMel(8000, 12), str(cache_dir), **sizes)
        self.text = text

    def identity(self) -> dict[str, Any]:
        return {"text": self.text}

    def facts(self) -> dict[str, Any]:
        return {"speech": "none"}

    def corpus(self) -> Iterator[Spoken]:
        generator = np.random.default_rng(0)
        for split, count in (("train", 10), ("validation", 4), ("test", 7)):
            for number in range(count):
                samples = generator.normal(0, 1000, generator.integers(1000, 5000))
                text = " ".join([self.text] * (1 + number % 2))
                yield Utterance(f"{split}-{number}", split, text, "x"), samples.astype(np.int16)


@pytest.fixture
def data(tmp_path: Path) -> Noises:
    data = Noises(tmp_path)
    data.prepare_data()
    data.setup("fit")
    return data


def training_batches(data: SpeechData, count: int) -> list[SpeechBatch]:
    return list(islice(data.train_dataloader(), count))


def test_a_batch_holds_features_and_tokens_padded_with_zeros(data: Noises) -> None:
    (batch,) = training_batches(data, 1)
    lengths = batch.frame_lengths.tolist()
    assert batch.features.shape == (4, max(lengths), 3, 12)
    assert batch.features.dtype == torch.float32
    split = data.splits["train"]
    by_id = {item.id: index for index, item in enumerate(split.utterances)}
    for row, name in enumerate(batch.utterances):
        example = split[by_id[name]]
        assert torch.equal(batch.features[row, : lengths[row]], example.features.float())
        assert not batch.features[row, lengths[row] :].any()
        tokens = batch.tokens[row, : batch.token_lengths[row]].tolist()
        assert tokens == [*data.vocabulary.encode(batch.texts[row]), data.vocabulary.EOS]
        assert not batch.tokens[row, batch.token_lengths[row] :].any()


def test_the_spec_says_what_a_recogniser_must_know(data: Noises) -> None:
    assert (data.spec.channels, data.spec.mel_bins) == (3, 12)
    assert data.spec.vocabulary is data.vocabulary


def test_evaluation_sees_every_utterance_once(data: Noises) -> None:
    for loader, split, count in (
        (data.val_dataloader(), "validation", 4),
        (data.test_dataloader(), "test", 7),
    ):
        names = [name for batch in loader for name in batch.utterances]
        assert sorted(names) == [f"{split}-{number}" for number in range(count)]


def test_training_goes_on_at_the_trainers_step(data: Noises) -> None:
    uninterrupted = [batch.utterances for batch in training_batches(data, 9)]
    data.trainer = SimpleNamespace(global_step=5)  # type: ignore[assignment]
    assert [batch.utterances for batch in training_batches(data, 4)] == uninterrupted[5:]


class Watcher(pl.LightningModule):
    """Learns nothing and remembers what it was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(12, 1)
        self.seen: list[tuple[str, ...]] = []

    def training_step(self, batch: SpeechBatch, batch_idx: int) -> torch.Tensor:
        self.seen.append(batch.utterances)
        return self.layer(batch.features).mean()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), 0.01)


def test_a_run_resumed_from_a_checkpoint_sees_the_batches_it_missed(tmp_path: Path) -> None:
    def seen(steps: int, checkpoint: Path | None = None) -> list[tuple[str, ...]]:
        watcher = Watcher()
        trainer = pl.Trainer(
            max_steps=steps,
            accelerator="cpu",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        trainer.fit(watcher, datamodule=Noises(tmp_path), ckpt_path=checkpoint)
        trainer.save_checkpoint(tmp_path / f"{steps}.ckpt")
        return watcher.seen

    assert seen(3) + seen(7, tmp_path / "3.ckpt") == seen(7)


def test_no_batch_has_more_frames_than_it_may(tmp_path: Path, data: Noises) -> None:
    bounded = Noises(tmp_path, batch_size=8, eval_batch_size=8, batch_frames=100)
    bounded.setup()
    loaders = (bounded.train_dataloader(), bounded.val_dataloader(), bounded.test_dataloader())
    for loader in loaders:
        batches = list(islice(loader, 12))
        assert max(batch.features[..., 0, 0].numel() for batch in batches) <= 100
    tested = [name for batch in bounded.test_dataloader() for name in batch.utterances]
    assert len(tested) == len(set(tested)) == 7


def test_an_utterance_that_no_batch_can_hold_is_named(tmp_path: Path, data: Noises) -> None:
    longest = max(data.splits["train"].utterances, key=lambda item: item.frames)
    bounded = Noises(tmp_path, batch_frames=longest.frames - 1)
    with pytest.raises(
        UserError, match=rf"data\.batch_frames is .* utterance {longest.id} has {longest.frames} f"
    ):
        bounded.setup()


def test_the_runs_seed_decides_the_order(data: Noises) -> None:
    def order(seed: int) -> list[tuple[str, ...]]:
        data.seed = seed
        return [batch.utterances for batch in training_batches(data, 4)]

    assert order(0) == order(0) != order(1)


def test_the_description_can_be_written_as_json(data: Noises) -> None:
    facts = json.loads(json.dumps(data.describe()))
    assert facts["speech"] == "none"
    assert facts["features"] == {"sample_rate": 8000, "mel_bins": 12, "deltas": True}
    test = facts["splits"]["test"]
    assert (test["utterances"], test["distinct_strings"], test["words"]) == (7, 2, 20)
    assert test["speakers"] == ["x"]


def test_the_cache_is_told_by_its_settings(tmp_path: Path, data: Noises) -> None:
    assert Noises(tmp_path).folder == data.folder
    assert Noises(tmp_path, batch_size=2).folder == data.folder  # no matter for what is stored
    assert Noises(tmp_path, text="three").folder != data.folder


def test_a_character_outside_the_vocabulary_is_named_with_its_utterance(tmp_path: Path) -> None:
    data = Noises(tmp_path, text="naïve")
    data.prepare_data()
    with pytest.raises(UserError, match=r"utterance train-0: character 'ï'"):
        data.setup()


def test_an_utterance_too_short_for_features_is_named(tmp_path: Path) -> None:
    class Short(Noises):
        def corpus(self) -> Iterator[Spoken]:
            yield from super().corpus()
            yield Utterance("train-7", "train", "one", "anna"), np.ones(100, np.int16)

    with pytest.raises(UserError, match=r"utterance train-7: .* shorter than one window"):
        Short(tmp_path).prepare_data()


def test_opening_checks_the_hash(tmp_path: Path, data: Noises) -> None:
    with (data.folder / "energies.f32").open("r+b") as file:
        file.seek(1000)
        file.write(b"?")
    with pytest.raises(UserError, match="delete that folder"):
        Noises(tmp_path).setup()


def test_opening_what_was_not_prepared_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="call prepare_data"):
        Noises(tmp_path).setup()


@pytest.mark.parametrize("key", ["batch_size", "eval_batch_size", "batch_frames"])
def test_batches_hold_something(tmp_path: Path, key: str) -> None:
    with pytest.raises(UserError, match=rf"data\.{key} is 0"):
        Noises(tmp_path, **{key: 0})


def test_a_batch_is_made_quickly(numbers: SpokenNumbers) -> None:
    """Far from a step's time even on a busy machine."""
    list(numbers.val_dataloader())
    start = time.process_time()
    training_batches(numbers, 50)
    assert (time.process_time() - start) / 50 < 0.02


def test_the_showcase_is_the_validation_utterance_of_middle_length(data: Noises) -> None:
    batch = data.showcase()
    lengths = sorted(data.splits["validation"].lengths)
    assert batch.frame_lengths.tolist() == [lengths[len(lengths) // 2]]
    assert batch.utterances == data.showcase().utterances
