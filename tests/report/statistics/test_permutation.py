"""Permutation tests against all ways to share out the runs."""

import itertools

import numpy as np
import pytest

from mocha_lightning.report.statistics import compare, compare_paired

A, B = [1.0, 2.5, 3.0, 4.5], [2.0, 5.0, 6.5]


def two_sided(found: list[float], observed: float) -> float:
    """Twice the smaller tail, ties within rounding counted."""
    tails = [np.mean(sign * (np.array(found) - observed) >= -1e-9) for sign in (1, -1)]
    return min(1, 2 * min(tails))


def test_unpaired_runs_are_shared_out_anew_in_every_way() -> None:
    values, found = [*A, *B], []
    for chosen in itertools.combinations(range(len(values)), len(A)):
        rest = [values[k] for k in range(len(values)) if k not in chosen]
        found.append(np.mean([values[k] for k in chosen]) - np.mean(rest))
    observed = np.mean(A) - np.mean(B)
    tails = (
        np.mean(np.array(found) <= observed + 1e-9),
        np.mean(np.array(found) >= observed - 1e-9),
    )
    assert compare(A, B).permutation_p == pytest.approx(min(1, 2 * min(tails)))


def test_pairs_are_exchanged_in_every_way() -> None:
    a, b = dict(enumerate(A)), dict(enumerate([2.0, 2.0, 5.0, 4.0]))
    differences = np.array([a[k] - b[k] for k in a])
    found = [np.mean(differences * signs) for signs in itertools.product((1, -1), repeat=len(a))]
    observed = differences.mean()
    tails = (
        np.mean(np.array(found) <= observed + 1e-9),
        np.mean(np.array(found) >= observed - 1e-9),
    )
    assert compare_paired(a, b).permutation_p == pytest.approx(min(1, 2 * min(tails)))


def test_eight_against_eight_is_exact_and_more_is_the_same_twice() -> None:
    generator = np.random.default_rng(0)
    apart = compare(generator.normal(9, 1, 8), generator.normal(0, 1, 8))
    assert apart.permutation_p == pytest.approx(2 / 12_870)
    many = generator.normal(size=(2, 30))
    assert compare(*many).permutation_p == compare(*many).permutation_p
