"""The recogniser is scored by what it recognises, however a split is cut into batches."""

import math
from dataclasses import replace

import pytest
import torch
from fitting import scores

from mocha_lightning.attention import MonotonicAttention, SoftAttention
from mocha_lightning.data import Vocabulary
from mocha_lightning.metrics import word_error_rate
from mocha_lightning.recognizer import SpeechRecognizer

from .fitting import MONOTONIC_SCORES, SCORES, train
from .setting import ALL, MECHANISMS, SPEC, TINY, UTTERANCES, speech, tiny


@pytest.mark.parametrize("split", ["val", "test"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_scores_of_a_split(name: str, split: str) -> None:
    expected = SCORES if name == "soft" else SCORES | MONOTONIC_SCORES
    found = scores(tiny(MECHANISMS[name]), speech(*ALL), split=split)
    assert set(found) == {f"{split}/{score}" for score in expected}
    assert all(math.isfinite(value) for value in found.values())
    assert expected <= set(tiny().metric_signatures(split))


@pytest.mark.parametrize("name", MECHANISMS)
def test_scores_do_not_depend_on_how_a_split_is_cut(name: str) -> None:
    task = tiny(MECHANISMS[name], learning_rate=0.01)
    train(task, 20)
    whole = scores(task, speech(*ALL))
    cut = scores(task, speech("three"), speech("one", "two"), speech("four"))
    assert cut == pytest.approx(whole, rel=1e-5)
    assert scores(task, speech(*ALL)) == whole  # and counting begins anew


def test_scores_are_those_of_what_was_recognised() -> None:
    task = tiny(MECHANISMS["mocha"], learning_rate=0.01)
    train(task, 20)
    found = scores(task, speech("one", "two"), speech("three", "four"), split="test")
    assert [p["utterance"] for p in task.predictions] == list(ALL)
    assert [p["reference"] for p in task.predictions] == [text for _, text in UTTERANCES.values()]
    for metric, key in (
        ("wer", "hypothesis"),
        ("wer_greedy", "hypothesis_greedy"),
        ("wer_expected", "hypothesis_expected"),
    ):
        rate = word_error_rate(
            [p["reference"] for p in task.predictions], [p[key] for p in task.predictions]
        )
        assert found[f"test/{metric}"] == pytest.approx(rate, rel=1e-6)


def searches(split: str, **arguments) -> list[tuple[str, int]]:
    """The attention and the width of each search of a batch."""
    task = tiny(MECHANISMS["mocha"], **arguments)
    made = []
    decode = task.decode
    task.decode = lambda memory, mode, width=1: (
        made.append((mode, width)) or decode(memory, mode, width)
    )
    scores(task, speech("one"), split=split)
    return made


def test_hypotheses_are_decoded_hard_and_in_expectation() -> None:
    """By a beam of 8 at test, where a third search tells what the beam is worth."""
    assert searches("val") == [("hard", 1), ("expected", 1)]
    assert searches("test") == [("hard", 1), ("hard", 8), ("expected", 8)]
    assert searches("test", beam_width=1) == [("hard", 1), ("expected", 1)]


def test_a_beam_finds_other_words_than_greedy_search() -> None:
    task = tiny(MECHANISMS["mocha"], learning_rate=0.01, beam_threshold=None)
    train(task, 20)
    found = scores(task, speech(*ALL), split="test")
    greedy = scores(task, speech(*ALL))
    assert found["test/wer_greedy"] == greedy["val/wer"] == greedy["val/wer_greedy"]
    assert [p["hypothesis"] for p in task.predictions] != [
        p["hypothesis_greedy"] for p in task.predictions
    ]


@pytest.mark.parametrize(
    ("arguments", "search"),
    [
        ({}, "search:beam-8|threshold:3"),
        ({"beam_width": 4, "beam_threshold": None}, "search:beam-4|threshold:none"),
        ({"beam_threshold": 2.5}, "search:beam-8|threshold:2.5"),
        (
            {"length_normalization": 0.6},
            "search:beam-8|threshold:3|length-normalization:0.6",
        ),
        ({"beam_width": 1, "length_normalization": 0.6}, "search:greedy"),
    ],
)
def test_the_signatures_say_how_was_searched(arguments: dict[str, float], search: str) -> None:
    task = tiny(**arguments)
    at_test, at_validation = task.metric_signatures("test"), task.metric_signatures("val")
    for name in ("wer", "wer_expected", "off_the_end", "length_cap"):
        assert at_test[name].endswith(f"|{search}")
        assert at_validation[name].endswith("|search:greedy")
    assert at_test["wer_greedy"] == at_validation["wer_greedy"] == at_validation["wer"]


def test_an_empty_memory_of_attention_is_counted_as_off_the_end() -> None:
    """A head that never stops: every step has a context of zero, and none is undecided."""
    never, always = (
        scores(tiny(lambda *sizes, r=r: MonotonicAttention(*sizes, offset=r)), speech(*ALL))
        for r in (-100, 100)
    )
    assert never["val/off_the_end"] == 1
    assert always["val/off_the_end"] == 0
    assert never["val/undecided"] == always["val/undecided"] == 0
    between = tiny(lambda *sizes: MonotonicAttention(*sizes, offset=0, gain=0.1))
    assert scores(between, speech(*ALL))["val/undecided"] == pytest.approx(1)


def test_decoding_is_capped_by_the_length_of_the_memory() -> None:
    task = tiny(outputs_per_entry=0.5).eval()
    with torch.no_grad():
        task.decoder.output.bias[Vocabulary.EOS] = -100
    decoded = task.decode(task.encode(speech(*ALL)), "hard")
    entries = [math.ceil(frames / 4) for frames, _ in UTTERANCES.values()]
    assert decoded.lengths.tolist() == [math.ceil(0.5 * count) for count in entries]
    assert scores(task, speech(*ALL))["val/length_cap"] == 1


def test_an_utterance_is_recognised_alone_as_in_a_batch() -> None:
    task = tiny(MECHANISMS["mocha"], learning_rate=0.01)
    train(task, 20)
    task.eval()
    together = task.decode(task.encode(speech(*ALL)), "hard")
    for row, name in enumerate(ALL):
        alone = task.decode(task.encode(speech(name)), "hard")
        length = alone.lengths.item()
        assert together.lengths[row] == length
        assert torch.equal(alone.tokens[0, :length], together.tokens[row, :length])


def test_validation_draws_no_random_numbers_and_leaves_no_trace() -> None:
    task = tiny(MECHANISMS["mocha"])
    before = {key: value.clone() for key, value in task.state_dict().items()}
    torch.manual_seed(7)
    state = torch.get_rng_state()
    with torch.no_grad():
        task.eval()
        task.validation_step(speech(*ALL), 0)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, before[key]) for key, value in task.state_dict().items())


def test_the_signature_says_what_is_not_scored() -> None:
    vocabulary = Vocabulary((" ", "a", "<noise>"), unscored=("<noise>",))
    task = SpeechRecognizer(replace(SPEC, vocabulary=vocabulary), SoftAttention, **TINY)
    assert "|without:<noise>|attention:hard|" in task.metric_signatures("val")["wer"]
    assert "without" not in tiny().metric_signatures("val")["wer"]
