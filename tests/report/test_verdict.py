"""The sentence that says what a comparison is worth."""

import scipy.stats

from mocha_lightning.report.statistics import compare, compare_summaries
from mocha_lightning.report.verdict import Correction, verdict

LOW, HIGH = [2.0, 2.2, 2.4, 2.1, 2.3], [4.0, 4.4, 4.2, 4.1, 4.3]


def test_a_significant_difference_says_which_is_better_and_by_how_much() -> None:
    assert verdict(compare(LOW, HIGH), "mocha", "soft", "min", 2) == (
        "mocha is lower (better) than soft by 2.00 (95 % interval 1.77 to 2.23); "
        "significant at 5 % by Student's t, p < 0.0001, N = 5 and 5"
    )


def test_whether_lower_is_better_is_the_metrics_mode() -> None:
    assert verdict(compare(LOW, HIGH), "a", "b", "max", 2).startswith("a is lower (worse) than b")
    assert verdict(compare(HIGH, LOW), "a", "b", "min", 2).startswith("a is higher (worse) than b")
    assert verdict(compare(HIGH, LOW), "a", "b", "max", 2).startswith("a is higher (better) than b")


def test_the_papers_difference_is_not_significant() -> None:
    assert verdict(compare_summaries(15.0, 0.6, 8, 14.6, 0.3, 8), "MoChA", "soft", "min", 2) == (
        "no significant difference between MoChA and soft: +0.40 (95 % interval -0.13 to +0.93); "
        "Student's t, p = 0.11, N = 8 and 8; with 8 runs each a difference of 0.71 would have been "
        "found with 80 % power"
    )


def test_a_difference_that_was_not_found_says_which_one_would_have_been() -> None:
    found = compare_summaries(5.0, 0.6, 8, 4.6, 0.3, 4)
    assert verdict(found, "a", "b", "min", 2, in_points=True).endswith(
        f"; with 8 and 4 runs a difference of {found.detectable:.2f} points would have been found "
        "with 80 % power"
    )
    assert "power" not in verdict(compare(LOW, HIGH), "a", "b", "min", 2)


def test_one_of_several_comparisons_is_judged_by_its_corrected_p_value() -> None:
    found = compare_summaries(15.0, 0.3, 8, 14.6, 0.3, 8)
    assert found.significant
    after = "Student's t, p = 0.051 after Holm's correction for 3 comparisons (p = 0.018 before)"
    assert verdict(found, "a", "b", "min", 2, Correction(3, 0.051, 0.7)) == (
        "no significant difference between a and b: +0.40 (95 % interval +0.08 to +0.72); "
        f"{after}, N = 8 and 8; with 8 runs each a difference of 0.70 would have been found with "
        "80 % power"
    )
    assert verdict(found, "a", "b", "min", 2, Correction(3, 0.036, 0.7)) == (
        "a is higher (worse) than b by 0.40 (95 % interval 0.08 to 0.72); significant at 5 % by "
        "Student's t, p = 0.036 after Holm's correction for 3 comparisons (p = 0.018 before), N = "
        "8 and 8"
    )


def test_tests_that_the_correction_agrees_with_do_not_disagree() -> None:
    """Neither finds anything, though the uncorrected test of the sentence does."""
    high, low = [1.0, 2.0, 3.0, 4.0, 5.0], [0.1, 0.5, 0.9, 1.4, 1.9, 2.6]
    found = compare(high, low)
    assert found.student_p < 0.05 < found.welch_p
    sentence = verdict(found, "a", "b", "min", 2, Correction(2, 2 * found.student_p, 3.0))
    assert sentence.startswith("no significant difference between a and b")
    assert "disagrees" not in sentence


def test_a_small_difference_has_as_many_decimals_as_it_is_given() -> None:
    a, b = [0.4498, 0.4508, 0.4488], [0.4512, 0.4522, 0.4502]
    assert "soft: -0.0014 (95 % interval -0.0037 to +0.0009)" in (
        verdict(compare(a, b), "mocha", "soft", "min", 4)
    )
    far = [value + 1 for value in b]
    assert "by 1.0014 (95 % interval 0.9991 to 1.0037)" in (
        verdict(compare(a, far), "mocha", "soft", "min", 4)
    )


def test_few_runs_are_said_in_the_sentence_itself() -> None:
    sentence = verdict(compare(LOW[:3], HIGH[:3]), "a", "b", "min", 2)
    assert "N = 3 and 3 (fewer than 5 runs a side: the test itself is unsure)" in sentence


def test_what_students_test_alone_finds_is_not_called_better() -> None:
    """Of few runs that vary much against many that vary little, its pooled variance is too small.

    Welch's interval, which stands in the sentence, has zero in it.
    """
    sentence = verdict(compare_summaries(3.0, 3.0, 5, 1.0, 0.5, 50), "a", "b", "min", 2)
    assert sentence == (
        "no difference between a and b that both t-tests find: +2.00 (95 % interval -1.72 to "
        "+5.72); Student's t, p < 0.0001, Welch's, p = 0.21, N = 5 and 50"
    )


def test_what_welchs_test_alone_finds_is_said() -> None:
    """Many runs that vary much against few that vary little: the pooled variance is too large."""
    sentence = verdict(compare_summaries(2.0, 3.0, 50, 1.0, 0.1, 5), "a", "b", "min", 2)
    assert sentence.startswith("no significant difference between a and b")
    assert sentence.endswith("; Welch's t disagrees, p = 0.023")


def test_the_permutation_test_may_disagree_too() -> None:
    """A run far off widens the spread of a t-test, and is one run to a permutation."""
    high = [2.2, 2.4, 2.5, 3.0, 3.7, 4.5, 14.0, 44.0]
    low = [0.7, 1.1, 1.1, 1.2, 1.6, 2.0, 2.1, 3.9]
    sentence = verdict(compare(high, low), "a", "b", "min", 2)
    assert sentence.startswith("no significant difference between a and b")
    p = scipy.stats.permutation_test(
        (high, low), lambda a, b: sum(a) / len(a) - sum(b) / len(b), n_resamples=13_000
    ).pvalue
    assert p < 0.05
    disagrees = f"; the permutation test disagrees, p = {p:.2g}"
    assert sentence.endswith(disagrees)
    corrected = verdict(compare(high, low), "a", "b", "min", 2, Correction(3, 0.4, 20.0))
    assert corrected.endswith(f"{disagrees} before correction")


def test_a_permutation_test_that_cannot_find_anything_does_not_disagree() -> None:
    """Three runs against three: the rarest order is one of ten."""
    sentence = verdict(compare([1.0, 1.1, 1.2], [2.0, 2.1, 2.2]), "a", "b", "min", 2)
    assert sentence.startswith("a is lower (better) than b")
    assert "permutation" not in sentence


def test_no_test_says_why() -> None:
    one_run = verdict(compare([1.0], [2.0, 3.0]), "a", "b", "min", 2)
    assert one_run == (
        "no t-test of a against b: fewer than two runs on a side (N = 1 and 2); difference -1.50"
    )
    constant = verdict(compare([1.0] * 3, [2.0] * 3), "a", "b", "min", 2)
    assert constant == (
        "no t-test of a against b: the runs of each variant are all equal (N = 3 and 3); the "
        "permutation test, p = 0.1; difference -1.00"
    )
    printed = verdict(compare_summaries(1.0, 0.0, 8, 2.0, 0.0, 8), "a", "b", "min", 2)
    assert printed == (
        "no t-test of a against b: the runs of each variant are all equal (N = 8 and 8); "
        "difference -1.00"
    )
