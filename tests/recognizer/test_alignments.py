"""What a recogniser attends to in one utterance."""

from unittest.mock import create_autospec

import numpy as np
import pytest
import torch

from mocha_lightning.data import SpeechData, Vocabulary
from mocha_lightning.pictures.alignments import Alignments
from mocha_lightning.pictures.figure import draw, png
from mocha_lightning.recognizer.alignments import alignments_of, spelled
from mocha_lightning.recognizer.decoder import teacher_inputs

from .setting import MECHANISMS, SPEC, speech, tiny


def alignments(name: str = "mocha", utterance: str = "one") -> Alignments:
    model = tiny(MECHANISMS[name]).eval()
    return alignments_of(model.encoder, model.decoder, SPEC.vocabulary, speech(utterance))


@pytest.mark.parametrize("name", MECHANISMS)
def test_expected_weights_are_those_of_training(name: str) -> None:
    model, batch = tiny(MECHANISMS[name]).eval(), speech("one")
    memory = model.encode(batch)
    with torch.no_grad():
        forced = model.decoder(teacher_inputs(batch.tokens, Vocabulary.SOS), memory)
    expected = torch.stack([step.over(memory.values.shape[1])[0] for step in forced.steps])
    np.testing.assert_allclose(alignments(name).expected, expected.numpy(), atol=1e-6)


def test_hard_monotonic_attention_is_to_one_entry_or_none() -> None:
    weights = alignments("monotonic").hard
    assert set(np.unique(weights)) <= {0.0, 1.0}
    assert (weights.sum(1) <= 1).all()


def test_a_space_and_the_end_are_seen() -> None:
    tokens = [*SPEC.vocabulary.encode("a b"), Vocabulary.EOS]
    assert spelled(SPEC.vocabulary, tokens) == ("a", "␣", "b", "</s>")


def test_a_recogniser_illustrates_its_corpuss_showcase() -> None:
    data = create_autospec(SpeechData, instance=True)
    data.showcase.return_value = speech("two")
    files = tiny(MECHANISMS["mocha"]).eval().illustrate(data)
    assert set(files) == {"alignments.npz", "alignments.png"}
    kept = Alignments.from_bytes(files["alignments.npz"])
    np.testing.assert_array_equal(kept.hard, alignments("mocha", "two").hard)
    assert files["alignments.png"] == png(draw({"MoChA": kept}))
