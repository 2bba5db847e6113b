"""The summariser learns to write and to copy, and is scored by what it writes."""

import math
from functools import partial

import pytest
import torch
from attention.setting import HEADED
from attention.setting import MECHANISMS as EVERY_MECHANISM
from fitting import losses_on, scores
from oracles.pointer_generator import coverage

from mocha_lightning.attention import CoverageAttention, MoChA, MonotonicAttention, SoftAttention
from mocha_lightning.data import DocumentSpec, WordVocabulary
from mocha_lightning.metrics import exact_match, rouge
from mocha_lightning.summarizer import Summarizer
from mocha_lightning.training.chunked_loss import target_log_probabilities

from .fitting import MONOTONIC_SCORES, SCORES
from .setting import ALL, DOCUMENTS, MECHANISMS, documents, lively, tiny


@pytest.fixture(scope="module", params=["soft", "monotonic", "mocha"])
def fitted(request: pytest.FixtureRequest) -> Summarizer:
    """Trained on three documents over and over."""
    sizes = {"encoder_dim": 24, "decoder_dim": 32, "embedding_dim": 16, "output_embedding_dim": 16}
    mechanism = {
        "soft": SoftAttention,
        "monotonic": partial(MonotonicAttention, offset=-1.0),
        "mocha": partial(MoChA, offset=0.0, chunk_size=4),
    }[request.param]
    task = tiny(mechanism, learning_rate=0.02, **sizes)
    losses_on(task, documents("one", "two", "four"), 70, gradient_clip_val=5.0)
    return task.eval()


def test_it_learns_documents_by_heart_and_copies_what_no_vocabulary_has(
    fitted: Summarizer,
) -> None:
    found = scores(fitted, documents("one", "two", "four"), split="test")
    assert found["test/exact_match"] == found["test/rougeLsum"] == 100
    assert found["test/exact_match_expected"] == 100
    records = {record["id"]: record for record in fitted.predictions}
    assert records["one"]["hypothesis"].split() == ["xx", "b", "yy", "."]
    # xx, yy and xx of eight words.
    assert found["test/unknown_words"] == pytest.approx(3 / 8)
    assert found["test/copied"] > 0.2
    assert found["test/loss"] < 0.2


def test_a_fitted_model_writes_the_same_alone_and_with_more_padding(fitted: Summarizer) -> None:
    whole = scores(fitted, documents("one", "two", "four"))
    apart = scores(fitted, documents("four", extra=5), documents("one"), documents("two", extra=1))
    assert apart == pytest.approx(whole, rel=1e-4)


@pytest.mark.parametrize("name", MECHANISMS)
def test_padding_changes_neither_likelihoods_nor_gradients(name: str) -> None:
    found = []
    for extra in (0, 4):
        task = lively(name)
        batch = documents(*ALL, extra=extra)
        task.log = lambda *_, **__: None
        loss = task.training_step(batch, 0)
        loss.backward()
        found.append([loss.detach(), *(p.grad for p in task.parameters())])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_the_loss_is_the_mean_over_all_words_in_a_batch_as_alone() -> None:
    task, whole = lively("mocha"), documents(*ALL)
    apart = [documents(name) for name in ALL]
    task.log = lambda *_, **__: None
    total = sum(task.training_step(each, 0) * each.target_lengths.sum() for each in apart)
    assert task.training_step(whole, 0).item() == pytest.approx(
        total.item() / whole.target_lengths.sum().item(), rel=1e-5
    )


@pytest.mark.parametrize("name", ["soft", "mocha"])
def test_an_output_layer_in_chunks_trains_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = losses_on(tiny(MECHANISMS[name]), documents(*ALL), 3)
    monkeypatch.setattr(
        "mocha_lightning.summarizer.decoder.target_log_probabilities",
        partial(target_log_probabilities, chunk=40),
    )
    assert losses_on(tiny(MECHANISMS[name]), documents(*ALL), 3) == pytest.approx(whole, rel=1e-5)


@pytest.mark.parametrize("name", EVERY_MECHANISM)
def test_every_mechanism_trains_and_is_scored(name: str) -> None:
    """Under the flag by which PyTorch refuses what could differ from run to run."""
    torch.use_deterministic_algorithms(True)
    try:
        task = tiny(EVERY_MECHANISM[name], learning_rate=0.01, beam_width=2)
        losses_on(task, documents(*ALL), 1)
        found = scores(task, documents("one", "two"), split="test")
    finally:
        torch.use_deterministic_algorithms(False)
    expected = SCORES | MONOTONIC_SCORES if name in HEADED else SCORES
    assert set(found) == {f"test/{score}" for score in expected}
    assert expected <= set(task.metric_signatures("test"))
    assert all(math.isfinite(value) for value in found.values())


def test_the_same_seed_gives_the_same_losses_and_scores() -> None:
    """To the last bit; and validation has the scores of test."""
    runs = []
    for _ in range(2):
        task = tiny(MECHANISMS["mocha"], seed=3)
        runs.append((losses_on(task, documents(*ALL), 2), scores(task, documents(*ALL))))
    assert runs[0] == runs[1]
    assert set(runs[0][1]) == {f"val/{score}" for score in SCORES | MONOTONIC_SCORES}


def test_the_mechanism_is_told_each_update() -> None:
    class Told(SoftAttention):
        def begin_update(self, step: int) -> None:
            steps.append(step)

    steps: list[int] = []
    losses_on(tiny(Told), documents("two"), 3)
    assert steps == [0, 1, 2]


def test_it_trains_under_autocast() -> None:
    task = tiny(MECHANISMS["mocha"], learning_rate=0.01)
    losses = losses_on(task, documents(*ALL), 5, precision="bf16-mixed")
    assert losses[-1] < losses[0]


def test_a_record_has_the_texts_and_the_corpuss_own_details() -> None:
    task = lively("mocha")
    found = scores(task, documents("one", "two"), documents("three", "four"), split="test")
    assert [record["id"] for record in task.predictions] == list(ALL)
    for record in task.predictions:
        document, summary = DOCUMENTS[record["id"]]
        assert (record["source"], record["reference"]) == (document, summary)
        assert record["lead"] == document.split()[0]
    references = [record["reference"] for record in task.predictions]
    for kind in ("", "_greedy", "_expected"):
        hypotheses = [record[f"hypothesis{kind}"] for record in task.predictions]
        expected = rouge(references, hypotheses)
        for name, value in expected.items():
            assert found[f"test/{name}{kind}"] == pytest.approx(value, rel=1e-6)
        match = exact_match(references, hypotheses)
        assert found[f"test/exact_match{kind}"] == pytest.approx(match)


def searches(split: str, **arguments) -> list[tuple[str, int]]:
    """The attention and the width of each search of a batch."""
    task = tiny(MECHANISMS["mocha"], **arguments)
    made, decode = [], task.decode
    task.decode = lambda read, mode, width=1: (
        made.append((mode, width)) or decode(read, mode, width)
    )
    scores(task, documents("one"), split=split)
    return made


def test_summaries_are_made_hard_and_in_expectation() -> None:
    """By a beam of 8 at test, where a third search tells what the beam is worth."""
    assert searches("val") == [("hard", 1), ("expected", 1)]
    assert searches("test") == [("hard", 1), ("hard", 8), ("expected", 8)]
    assert searches("test", beam_width=1) == [("hard", 1), ("expected", 1)]


@pytest.mark.parametrize(
    ("arguments", "search"),
    [
        ({}, "search:beam-8|threshold:3|most:10"),
        (
            {"beam_threshold": None, "min_outputs": 2},
            "search:beam-8|threshold:none|most:10|least:2",
        ),
        (
            {"length_normalization": 0.5, "beam_width": 4},
            "search:beam-4|threshold:3|most:10|length-normalization:0.5",
        ),
        ({"beam_width": 1}, "search:greedy|most:10"),
    ],
)
def test_the_signatures_say_how_was_searched(arguments: dict[str, float], search: str) -> None:
    task = tiny(**arguments)
    at_test, at_validation = task.metric_signatures("test"), task.metric_signatures("val")
    assert set(at_test) == set(at_validation)
    for name in ("rouge1", "exact_match_expected", "length_cap", "unknown_words"):
        assert at_test[name].endswith(f"|{search}")
        assert "|search:greedy|" in at_validation[name]
    assert at_test["rouge2_greedy"] == at_validation["rouge2"]


def test_validation_draws_no_random_numbers_and_leaves_no_trace() -> None:
    task = tiny(MECHANISMS["mocha"])
    before = {key: value.clone() for key, value in task.state_dict().items()}
    torch.manual_seed(7)
    state = torch.get_rng_state()
    with torch.no_grad():
        task.eval()
        task.validation_step(documents(*ALL), 0)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, before[key]) for key, value in task.state_dict().items())


# -- The paper's numbers -------------------------------------------------------------------------


def papers_size(mechanism, **arguments) -> dict[str, int]:
    """Parameters by part, without memory for them."""
    words = tuple(str(number) for number in range(50_000 - 4))
    with torch.device("meta"):
        task = Summarizer(DocumentSpec(WordVocabulary(words)), mechanism, **arguments)
    parts = {"encoder": task.encoder, **dict(task.decoder.named_children())}
    return {name: sum(p.numel() for p in part.parameters()) for name, part in parts.items()}


def test_the_defaults_are_the_papers_sizes() -> None:
    words, hidden, both, d = 50_000, 512, 1024, 1024
    energy = both * d + d + 1024 * d + d
    soft = papers_size(SoftAttention)
    assert soft == {
        "encoder": words * 512 + 2 * 4 * hidden * (512 + hidden + 2),
        "embedding": words * 1024,
        "cell": 4 * 1024 * (1024 + both + 1024 + 2),
        "output": words * (1024 + both + 1),
        "attention": energy,
        "pointer_generator": 1024 + both + 1024 + 1,
    }
    assert papers_size(MonotonicAttention)["attention"] == energy + 2  # g and r
    assert papers_size(MoChA)["attention"] == 2 * (energy + 1) + 1
    assert papers_size(CoverageAttention)["attention"] == energy + d
    projected = papers_size(SoftAttention, projection_dim=1024)["output"]
    assert projected == 1024 * (2048 + 1) + words * (1024 + 1)


def test_training_is_the_papers() -> None:
    made = tiny(MECHANISMS["mocha"]).configure_optimizers()
    (group,) = made["optimizer"].param_groups
    assert group["lr"] == 5e-4
    assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.9, 0.999), 8e-7, 0)
    factors = made["lr_scheduler"]["scheduler"].lr_lambdas[0]
    rates = [5e-4 * factors(step) for step in (0, 50_000, 60_000, 70_000, 10**6)]
    assert rates == pytest.approx([5e-4, 5e-4, 2.5e-4, 1.25e-4, 5e-5])


def test_a_gain_learns_at_its_own_rate() -> None:
    task = tiny(partial(MoChA, gain_rate=10.0))
    groups = task.configure_optimizers()["optimizer"].param_groups
    gains = [task.decoder.attention.head.energy.g, task.decoder.attention.chunk_energy.g]
    assert {id(p) for p in groups[1]["params"]} == {id(gain) for gain in gains}
    assert groups[1]["lr"] == pytest.approx(5e-3)


# -- Coverage ------------------------------------------------------------------------------------


def test_the_coverage_loss_is_added_with_its_weight_and_logged() -> None:
    values = {}
    losses = []
    for weight in (0.0, 0.5):
        task = tiny(CoverageAttention, coverage_weight=weight)
        task.log = lambda name, value, **_: values.update({name: value.item()})
        losses.append(task.training_step(documents(*ALL), 0).item())
    assert values["train/coverage"] > 0
    assert losses[1] == pytest.approx(losses[0] + 0.5 * values["train/coverage"])
    assert values["train/loss"] == pytest.approx(losses[0])


def test_coverage_is_that_of_the_outputs_before() -> None:
    task, batch = lively("soft"), documents(*ALL)
    covering = tiny(CoverageAttention, coverage_weight=1.0)
    covering.load_state_dict(task.state_dict(), strict=False)
    values = {}
    covering.log = lambda name, value, **_: values.update({name: value.item()})
    covering.training_step(batch, 0)
    weights = covering.forced(batch, covering.read(batch)).weights.double()
    lengths = batch.target_lengths.tolist()
    totals = [coverage(rows[:n].tolist()) for rows, n in zip(weights, lengths, strict=True)]
    assert values["train/coverage"] == pytest.approx(sum(totals) / sum(lengths), rel=1e-5)


@pytest.mark.parametrize("name", ["soft", "monotonic", "mocha"])
def test_a_mechanism_without_coverage_has_no_coverage_loss(name: str) -> None:
    with pytest.raises(ValueError, match="coverage_weight needs CoverageAttention"):
        tiny(MECHANISMS[name], coverage_weight=1.0)


# -- Arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"decoder_dim": 0},
        {"projection_dim": 0},
        {"max_outputs": 0},
        {"learning_rate": 0.0},
        {"min_outputs": -1},
        {"beam_threshold": -1.0},
        {"coverage_weight": -0.5},
    ],
)
def test_numbers_that_no_model_can_have_are_refused(wrong: dict[str, float]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        tiny(**wrong)


def test_the_least_cannot_be_above_the_most() -> None:
    with pytest.raises(ValueError, match="min_outputs cannot be above max_outputs, which is 10"):
        tiny(min_outputs=11)
