"""What the page says of its own columns and signs."""

from .conftest import EXPERIMENT, Folder, by_ctc, diverge, put
from .test_markdown import cells, legend, page


def test_every_column_is_explained(runs: Folder) -> None:
    text = page(runs)
    variants, comparisons = cells(text, "variant"), cells(text, "comparison")
    explained = ", ".join(legend(text)).split(", ")
    of_variants = explained.index("difference")
    for column in ", ".join(variants[1:]).split(", "):
        assert column in explained[:of_variants]
    for column in ", ".join(comparisons[1:]).split(", "):
        assert column in explained[of_variants:]
    assert "share of selection probabilities in (0.1, 0.9)" in text
    assert "whose context is zero because the scan has passed the memory's end" in text


def test_comparisons_are_explained_only_where_there_are_any(runs: Folder) -> None:
    text = page(runs)
    assert "below zero the first is the lower, which here is better" in text
    assert "two-sided, with the variances of both variants pooled, as in the paper" in text
    assert "without the assumption that both variants vary alike" in text
    runs.experiment(comparisons=[])
    text = page(runs)
    assert "Of the comparisons" not in text
    assert "difference" not in legend(text)
    assert legend(text).count("N") == 1


def test_which_sign_is_the_better_one_depends_on_the_metric(runs: Folder) -> None:
    runs.judge_by("test/wer", "max")
    assert "below zero the first is the lower, which here is worse" in page(runs)


def test_signs_are_explained_where_they_stand(runs: Folder) -> None:
    assert not {"!", "NaN"} & set(legend(page(runs)))
    runs.change("soft", 0, put("metrics.test/length_cap.value", 0.05))
    assert "!" in legend(page(runs))
    assert "NaN" not in legend(page(runs))
    runs.change("mocha_w2", 0, put("metrics.test/undecided.value", None))
    assert "NaN" in legend(page(runs))


def test_of_several_tests_the_corrected_p_value_is_told_too(runs: Folder) -> None:
    assert "Holm" not in page(runs)
    runs.compare_twice()
    assert (
        "\n\n2 comparisons are tested: p, Holm's is Student's corrected for that number, and "
        "the sentences go by it; the others are not corrected.\n\n"
    ) in page(runs)
    assert "p, Holm's" in legend(page(runs))
    # A comparison that could not be made is no test.
    for variant in ("soft", "soft_again"):
        runs.change(variant, 0, diverge(12))
    assert "Holm" not in page(runs)


def test_columns_without_any_figure_are_left_out_with_what_explains_them(runs: Folder) -> None:
    for variant in ("soft", "mocha_w2"):
        runs.change_all(variant, by_ctc)
    runs.experiment(seeds=[0])
    text = page(runs)
    assert cells(text, "variant") == [
        *("variant", "N", "best", "mean", "best step", "parameters", "seconds"),
    ]
    assert {"undecided", "off the end", "length cap", "\N{EN DASH}", "best, mean, SD"}.isdisjoint(
        legend(text)
    )
    assert "best, mean" in legend(text)


def test_a_dash_is_explained_by_what_lacks_the_figure(runs: Folder) -> None:
    assert (
        "- **\N{EN DASH}**: no such figure: what has no monotonic head selects nothing and runs "
        "past no end; CTC has no attention and no cap.\n"
    ) in page(runs)
    runs.experiment(variants={**EXPERIMENT["variants"], "unfinished": {}}, seeds=[0])
    assert "no standard deviation" not in page(runs)
    assert "no cap; a variant has no finished run.\n" in page(runs)
