"""The recogniser by CTC alone: the same encoder, another loss and other searches."""

import itertools
import math

import pytest
import torch
from fitting import scores
from oracles.ctc import of_all_paths
from torch import Tensor

from mocha_lightning.data import SpeechBatch, Vocabulary
from mocha_lightning.decoding.ctc import ctc_prefix_beam
from mocha_lightning.metrics import word_error_rate
from mocha_lightning.recognizer import CtcRecognizer
from mocha_lightning.recognizer.ctc_layer import BLANK, CtcLayer, in_vocabulary
from mocha_lightning.recognizer.latency import LATENCIES

from .fitting import CTC_SCORES, train
from .setting import ALL, MECHANISMS, SPEC, UTTERANCES, speech, tiny, tiny_ctc

CROWDED = "abcabcabc"


def crowded(batch: SpeechBatch) -> SpeechBatch:
    """The batch with more symbols in its second transcript than the utterance has entries."""
    tokens = torch.full((len(batch.tokens), len(CROWDED) + 1), Vocabulary.PAD)
    tokens[:, : batch.tokens.shape[1]] = batch.tokens
    tokens[1] = torch.tensor([*SPEC.vocabulary.encode(CROWDED), Vocabulary.EOS])
    lengths = batch.token_lengths.clone()
    lengths[1] = len(CROWDED) + 1
    texts = (batch.texts[0], CROWDED, *batch.texts[2:])
    return batch._replace(tokens=tokens, token_lengths=lengths, texts=texts)


def posteriors(task: CtcRecognizer, name: str) -> Tensor:
    """Log-probabilities at the entries of one utterance."""
    with torch.no_grad():
        return task.eval().score(speech(name))[0][0].double()


def test_a_seed_gives_it_the_encoder_of_the_recogniser_with_attention() -> None:
    ctc, attention = tiny_ctc(seed=5).state_dict(), tiny(MECHANISMS["mocha"], seed=5).state_dict()
    encoder = {key for key in attention if key.startswith("encoder.")}
    assert ctc.keys() == {*encoder, "ctc.output.weight", "ctc.output.bias"}
    assert all(torch.equal(ctc[key], attention[key]) for key in encoder)


def test_neither_the_start_nor_the_end_mark_can_be_spelled() -> None:
    vocabulary = Vocabulary(("a", "b"))
    outputs = torch.arange(CtcLayer(7, len(vocabulary)).output.out_features)
    numbers = in_vocabulary(outputs).tolist()
    assert numbers == [Vocabulary.PAD, *vocabulary.encode("ab")]
    assert numbers.index(Vocabulary.PAD) == BLANK


def test_it_learns_a_handful_of_utterances() -> None:
    task = tiny_ctc(learning_rate=0.02)
    losses = train(task, 60, gradient_clip_val=1.0)
    assert losses[-1] < 0.05 * losses[0]
    found = scores(task, speech(*ALL), split="test")
    assert found["test/wer"] == found["test/wer_greedy"] == 0
    assert [p["hypothesis"] for p in task.predictions] == [text for _, text in UTTERANCES.values()]


def test_it_trains_the_same_twice_under_pytorchs_own_check() -> None:
    torch.use_deterministic_algorithms(True)
    try:
        runs = [train(tiny_ctc(), 3) for _ in range(2)]
    finally:
        torch.use_deterministic_algorithms(False)
    assert runs[0] == runs[1]


@pytest.mark.usefixtures("mixed_precision")
def test_it_trains_with_half_the_bits() -> None:
    half = train(tiny_ctc(learning_rate=0.01), 5, precision="bf16-mixed")
    assert half[-1] < half[0]


def test_the_loss_is_in_nats_per_label_the_end_symbol_counted() -> None:
    task, total = tiny_ctc(), 0.0
    for name in ("two", "four"):
        symbols = [token - Vocabulary.EOS for token in SPEC.vocabulary.encode(UTTERANCES[name][1])]
        total -= math.log(of_all_paths(posteriors(task, name), BLANK)[tuple(symbols)])
    labels = len("b") + 1 + len("c a") + 1
    found = scores(task, speech("two", "four"))
    assert found["val/loss"] == pytest.approx(total / labels, rel=1e-5)
    assert found["val/unalignable"] == 0


def test_what_cannot_be_aligned_is_counted_and_weighs_nothing() -> None:
    whole, without = crowded(speech(*ALL)), speech("one", "three", "four")
    task = tiny_ctc()
    found, expected = scores(task, whole), scores(task, without)
    assert found["val/unalignable"] == 0.25
    assert found["val/loss"] == pytest.approx(expected["val/loss"], rel=1e-5)
    assert found["val/wer"] > 0  # it is recognised all the same
    logged = {}
    task.train().log = lambda name, value, **_: logged.update({name: value.item()})
    loss = task.training_step(whole, 0)
    loss.backward()
    assert logged == {"train/loss": loss.item(), "train/unalignable": 0.25}
    gradients = [parameter.grad for parameter in task.parameters()]
    assert all(each is not None and each.isfinite().all() for each in gradients)


def test_a_batch_of_nothing_but_such_moves_nothing() -> None:
    task = tiny_ctc()
    task.log = lambda *_, **__: None
    batch = crowded(speech("one", "two"))
    alone = SpeechBatch(*(part[1:] for part in batch))
    loss = task.training_step(alone, 0)
    loss.backward()
    assert loss == 0
    assert all((parameter.grad == 0).all() for parameter in task.parameters())
    del task.log
    found = scores(task, alone)
    assert math.isnan(found["val/loss"])
    assert found["val/unalignable"] == 1


def test_scores_do_not_depend_on_how_a_split_is_cut() -> None:
    task = tiny_ctc(learning_rate=0.01)
    train(task, 10)
    batch = crowded(speech(*ALL))
    whole = scores(task, batch)
    halves = [SpeechBatch(*(part[rows] for part in batch)) for rows in (slice(1), slice(1, 4))]
    assert scores(task, *halves) == pytest.approx(whole, rel=1e-5)


@pytest.mark.parametrize("split", ["val", "test"])
def test_scores_of_a_split_have_signatures_and_are_of_what_was_recognised(split: str) -> None:
    task = tiny_ctc(learning_rate=0.01)
    train(task, 15)
    found = scores(task, speech(*ALL), split=split)
    assert found.keys() == {f"{split}/{score}" for score in CTC_SCORES}
    assert task.metric_signatures(split).keys() == CTC_SCORES | LATENCIES.keys()
    predictions = task.tally.predictions
    for metric, key in (("wer", "hypothesis"), ("wer_greedy", "hypothesis_greedy")):
        rate = word_error_rate([p["reference"] for p in predictions], [p[key] for p in predictions])
        assert found[f"{split}/{metric}"] == pytest.approx(rate, rel=1e-6)


def text(symbols: tuple[int, ...]) -> str:
    return SPEC.vocabulary.decode([symbol + Vocabulary.EOS for symbol in symbols])


def undecided(seed: int) -> CtcRecognizer:
    """A recogniser whose likeliest path need not spell its likeliest sequence."""
    task = tiny_ctc(seed)
    with torch.no_grad():
        task.ctc.output.weight.mul_(3)
        task.ctc.output.bias.zero_()
    return task


def test_validation_spells_the_likeliest_path_and_test_the_likeliest_sequence() -> None:
    differ = 0
    for seed in range(8):
        task = undecided(seed)
        task.beam_width, task.beam_threshold = 10_000, None
        log_probs = posteriors(task, "two")
        best = log_probs.argmax(-1).tolist()
        greedy = text(tuple(k for k, _ in itertools.groupby(best) if k != BLANK))
        total = of_all_paths(log_probs, BLANK)
        likeliest = text(max(total, key=lambda sequence: total[sequence]))
        for split, expected in (("val", greedy), ("test", likeliest)):
            scores(task, speech("two"), split=split)
            (prediction,) = task.tally.predictions
            assert prediction["hypothesis"] == expected
            assert prediction["hypothesis_greedy"] == greedy
        differ += greedy != likeliest
    assert differ > 0


def test_the_beam_is_as_wide_as_is_asked() -> None:
    """A wide one, a narrow one, and one whose threshold leaves it the best prefix alone."""
    found = []
    for beam in ((8, 3.0), (2, None), (8, 0.0)):
        hypotheses = []
        for seed in range(8):
            task = undecided(seed)
            task.beam_width, task.beam_threshold = beam
            scores(task, speech("one"), split="test")
            log_probs = posteriors(task, "one")
            (expected,) = ctc_prefix_beam(
                log_probs[None], torch.tensor([len(log_probs)]), BLANK, *beam
            ).tokens.tolist()
            hypotheses.append(task.predictions[0]["hypothesis"])
            assert hypotheses[-1] == text(tuple(expected))
        found.append(hypotheses)
    assert found[0] != found[1] != found[2] != found[0]


@pytest.mark.usefixtures("mixed_precision")
def test_scores_have_all_their_bits_under_autocast() -> None:
    with torch.autocast("cpu", torch.bfloat16):
        log_probs, _ = tiny_ctc().score(speech("one"))
    assert log_probs.dtype == torch.float32


@pytest.mark.parametrize(
    ("arguments", "search"),
    [
        ({}, "search:prefix-beam-8|threshold:3"),
        ({"beam_width": 4, "beam_threshold": None}, "search:prefix-beam-4|threshold:none"),
        ({"beam_width": 1}, "search:greedy"),
    ],
)
def test_a_signature_says_which_search_the_test_uses(
    arguments: dict[str, float | None], search: str
) -> None:
    task = tiny_ctc(**arguments)
    assert task.metric_signatures("test")["wer"].endswith(f"|attention:none|ctc|{search}")
    for split, name in (("val", "wer"), ("val", "wer_greedy"), ("test", "wer_greedy")):
        assert task.metric_signatures(split)[name].endswith("|ctc|search:greedy")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"layers": 0}, "layers must be at least 1, not 0"),
        ({"learning_rate": 0.0}, "learning_rate must be positive, not 0.0"),
        ({"weight_noise_std": -0.1}, "weight_noise_std cannot be negative: -0.1"),
    ],
)
def test_a_number_that_no_model_can_have_is_refused_by_name(
    wrong: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        tiny_ctc(**wrong)
