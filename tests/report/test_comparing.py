"""Two variants against each other in full."""

from typing import Any

import pytest
from scipy import stats

from mocha_lightning.errors import UserError
from mocha_lightning.report.comparing import compare_printed, compare_variants, figures

from .conftest import WERS, Folder, put


def test_runs_are_compared_as_scipy_compares_them(runs: Folder) -> None:
    duel = compare_variants(runs.path, "mocha_w2", "soft")
    a, b = WERS["mocha_w2"], WERS["soft"]
    assert duel.unpaired.student_p == pytest.approx(stats.ttest_ind(a, b).pvalue)
    assert duel.paired is not None
    assert duel.paired.p == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert duel.verdict.startswith("mocha_w2 is lower (better) than soft by 2.00")
    assert "test/wer, in per cent; lower is better. Measured as: test/wer by jiwer" in duel.about


def test_the_table_tells_each_test_and_what_it_is_of(runs: Folder) -> None:
    found = {
        each.name: each.value for each in figures(compare_variants(runs.path, "soft", "mocha_w2"))
    }
    assert found["runs"] == "3, 3"
    assert found["means"] == "4.20, 2.20"
    assert found["difference"] == "+2.00"
    assert found["chance of better"] == "0 %"
    assert found["permutation"] == "p = 0.1"
    assert {"Student's t", "Welch's t", "Hedges' g", "detectable", "paired t"} < set(found)


def test_a_metric_may_be_another_one_that_all_runs_have(runs: Folder) -> None:
    for seed in range(3):
        runs.change(
            "soft", seed, put("metrics.test/loss", {"value": 1.0 + seed, "signature": "nats"})
        )
        runs.change("mocha_w2", seed, put("metrics.test/loss", {"value": 0.5, "signature": "nats"}))
    duel = compare_variants(runs.path, "mocha_w2", "soft", "test/loss")
    assert duel.unpaired.difference == pytest.approx(-1.5)
    with pytest.raises(UserError, match="no metric 'test/undecided' in every run: name one su"):
        compare_variants(runs.path, "mocha_w2", "soft", "test/undecided")


def test_the_experiment_s_own_metric_is_as_good_as_the_experiment_says(runs: Folder) -> None:
    """Whatever it is called: of accuracy, more is better."""

    def rename(content: dict[str, Any]) -> None:
        for split in ("test", "val"):
            content["metrics"][f"{split}/accuracy"] = content["metrics"].pop(f"{split}/wer")

    runs.judge_by("test/accuracy", "max")
    for variant in ("soft", "mocha_w2"):
        runs.change_all(variant, rename)
    for metric in (None, "accuracy", "test/accuracy"):
        duel = compare_variants(runs.path, "mocha_w2", "soft", metric)
        assert duel.verdict.startswith("mocha_w2 is lower (worse) than soft by")
    assert compare_variants(runs.path, "mocha_w2", "soft", "val/accuracy").mode == "max"
    assert compare_variants(runs.path, "mocha_w2", "soft", "loss").mode == "min"


def test_a_metric_without_its_split_is_the_test_sets(runs: Folder) -> None:
    whole = compare_variants(runs.path, "mocha_w2", "soft", "test/wer")
    assert compare_variants(runs.path, "mocha_w2", "soft", "wer") == whole
    for variant in ("soft", "mocha_w2"):
        runs.change_all(variant, put("metrics.val/only", {"value": 1.0, "signature": "s"}))
    with pytest.raises(UserError, match="no metric 'only'"):
        compare_variants(runs.path, "mocha_w2", "soft", "only")


def test_of_many_metrics_those_most_like_a_mistyped_one_are_offered(runs: Folder) -> None:
    for variant in ("soft", "mocha_w2"):
        for name in ("rougeL", "rougeLsum", "rouge1", "rouge2", *map("other{}".format, range(40))):
            runs.change_all(variant, put(f"metrics.test/{name}", {"value": 1, "signature": "s"}))
    with pytest.raises(UserError) as caught:
        compare_variants(runs.path, "mocha_w2", "soft", "Rouge-L")
    offered = str(caught.value).partition("name one such as ")[2].partition(" (")[0].split(", ")
    assert offered[0] == "test/rougeL"
    assert len(offered) == 4


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("mocha", "soft", "no variant is named 'mocha': name two of soft, mocha_w2"),
        ("soft", "soft", "soft against itself"),
    ],
)
def test_variants_must_be_two_of_the_experiment_s(runs: Folder, a: str, b: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        compare_variants(runs.path, a, b)


def test_what_cannot_be_compared_is_refused_with_the_reason(runs: Folder) -> None:
    for seed in range(3):
        runs.change("soft", seed, put("data.sha256", "beef" * 16))
    with pytest.raises(UserError, match="not compared: different data sha256"):
        compare_variants(runs.path, "mocha_w2", "soft")


def test_without_a_seed_in_common_nothing_is_paired(runs: Folder) -> None:
    runs.remove("soft", 1)
    runs.remove("soft", 2)
    runs.remove("mocha_w2", 0)
    duel = compare_variants(runs.path, "mocha_w2", "soft")
    assert duel.paired is None
    assert "no t-test of mocha_w2 against soft: fewer than two runs" in duel.verdict
    known = ["runs", "means", "difference", "chance of better"]
    assert [each.name for each in figures(duel)] == known


def test_the_papers_printed_figures_are_not_significant() -> None:
    duel = compare_printed((14.6, 0.3, 8), (15.0, 0.6, 8), "min")
    assert "no significant difference between the first and the second" in duel.verdict
    assert "p = 0.11" in duel.verdict
    assert "chance of better" not in {each.name for each in figures(duel)}


def test_a_figure_that_cannot_be_is_refused() -> None:
    with pytest.raises(UserError, match=r"standard deviation -0\.3 of 8 runs"):
        compare_printed((14.6, -0.3, 8), (15.0, 0.6, 8), "min")


def test_one_run_has_no_standard_deviation() -> None:
    with pytest.raises(UserError, match=r"deviation 0\.3 of 1 run: one run has none; give 0, and"):
        compare_printed((14.6, 0.3, 1), (15.0, 0.6, 8), "min")
    duel = compare_printed((14.6, 0.0, 1), (15.0, 0.6, 8), "min")
    assert duel.verdict.startswith("no t-test of the first against the second: fewer than two runs")


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ((1.0, 1e-200, 3), "cannot be computed with"),
        ((1.0, 1e200, 3), "cannot be computed with"),
        ((1e300, 0.1, 3), "cannot be computed with"),
        ((1.0, 0.1, 10**300), "runs: need 1,000,000,000 at most"),
    ],
)
def test_figures_that_no_number_could_hold_the_square_of_are_refused(
    first: tuple[float, float, int], said: str
) -> None:
    with pytest.raises(UserError, match=f"--from-summary: .*{said}"):
        compare_printed(first, (2.0, 0.1, 3), "min")


def test_scores_whose_squares_are_nothing_do_not_vary(runs: Folder) -> None:
    for variant in ("soft", "mocha_w2"):
        for seed in range(3):
            runs.change(variant, seed, put("metrics.test/wer.value", seed * 1e-100))
    assert "no t-test of soft" in compare_variants(runs.path, "soft", "mocha_w2").verdict


def test_what_a_report_would_warn_of_is_told_here_too(runs: Folder) -> None:
    runs.remove("soft", 2)
    runs.change("mocha_w2", 1, put("provenance.threads", 2))
    incomplete, *warned = compare_variants(runs.path, "mocha_w2", "soft").cautions
    assert incomplete == "INCOMPLETE: soft seed 2 missing."
    assert any("thread counts: 1 (4 runs), 2 (1 run)" in each for each in warned)
    runs.change("mocha_w2", 1, put("config_hash", "0" * 64))
    _, *warned = compare_variants(runs.path, "mocha_w2", "soft").cautions
    assert any("how mocha_w2 seed 1 came about" in each for each in warned)


def test_runs_that_need_a_second_look_are_told(runs: Folder) -> None:
    for seed in range(3):
        runs.change("soft", seed, put("metrics.test/length_cap.value", 0.9 if seed == 1 else 0.0))
    duel = compare_variants(runs.path, "mocha_w2", "soft")
    assert any(
        said.startswith("! soft, seed 1: decoding hit the length cap") for said in duel.cautions
    )


def test_that_an_experiment_has_more_comparisons_than_these_two_is_told(runs: Folder) -> None:
    runs.compare_twice()
    alone, *_ = compare_variants(runs.path, "mocha_w2", "soft").cautions
    assert "no detectable difference here is corrected for the 2 comparisons of the" in alone
