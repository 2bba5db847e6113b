"""What a summariser attends to in one document."""

from unittest.mock import create_autospec

import numpy as np
import pytest
import pytorch_lightning as pl
import torch

from mocha_lightning.pictures.figure import png
from mocha_lightning.pictures.word_alignments import WordAlignments
from mocha_lightning.pictures.word_figure import draw_words
from mocha_lightning.summarizer.alignments import alignments_of, first_of

from .setting import MECHANISMS, VOCABULARY, documents, lively


def alignments(name: str, document: str = "one") -> WordAlignments:
    task, batch = lively(name), documents(document)
    return alignments_of(task.decoder, VOCABULARY, batch, task.read(batch))


@pytest.mark.parametrize("name", MECHANISMS)
@torch.no_grad()
def test_expected_weights_are_those_of_training(name: str) -> None:
    task, batch = lively(name), documents("one")
    forced = task.forced(batch, task.read(batch))
    np.testing.assert_allclose(alignments(name).expected, forced.weights[0].numpy(), atol=1e-6)


def test_hard_monotonic_attention_is_to_one_word_or_none_and_never_goes_back() -> None:
    weights = alignments("monotonic", "three").hard
    assert set(np.unique(weights)) <= {0.0, 1.0}
    assert (weights.sum(1) <= 1).all()
    stops = [int(row.argmax()) for row in weights if row.any()]
    assert stops
    assert stops == sorted(stops)


def test_all_words_are_shown_as_they_are() -> None:
    shown = alignments("soft")
    assert shown.example == "one"
    assert shown.source == ("a", "xx", "b", "yy", "xx", "c")
    assert shown.outputs == ("xx", "b", "yy", ".", "</s>")


def test_a_summariser_illustrates_the_first_validation_document() -> None:
    data = create_autospec(pl.LightningDataModule, instance=True)
    data.val_dataloader.return_value = [documents("two", "one", extra=2), documents("three")]
    files = lively("mocha").illustrate(data)
    assert set(files) == {"word-alignments.npz", "word-alignments.png"}
    kept = WordAlignments.from_bytes(files["word-alignments.npz"])
    np.testing.assert_allclose(kept.hard, alignments("mocha", "two").hard, atol=1e-6)
    assert files["word-alignments.png"] == png(draw_words({"MoChA": kept}))


def test_the_first_document_is_cut_out_without_padding() -> None:
    first = first_of(documents("two", "one", extra=2))
    for part, expected in zip(first, documents("two"), strict=True):
        same = torch.equal(part, expected) if torch.is_tensor(part) else part == expected
        assert same
