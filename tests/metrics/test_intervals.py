"""How far a score depends on which documents were tested on."""

import numpy as np
import pytest

from mocha_lightning.metrics import INTERVAL_SIGNATURE, mean_interval, ratio_interval


def resampled(statistic, *samples: np.ndarray, times: int = 10_000) -> tuple[float, float]:
    """Percentiles of a bootstrap in one line each, from another stream of chance."""
    draw = np.random.default_rng(99)
    count = len(samples[0])
    rows = (draw.integers(count, size=count) for _ in range(times))
    found = [statistic(*(sample[row] for sample in samples)) for row in rows]
    return tuple(np.quantile(found, (0.025, 0.975)))


def test_a_mean_has_the_bootstraps_percentiles() -> None:
    values = np.random.default_rng(0).beta(0.4, 2, 60)
    low, high = mean_interval(values)
    expected = resampled(np.mean, values)
    assert (low, high) == pytest.approx(expected, abs=0.1 * (expected[1] - expected[0]))
    assert low < values.mean() < high


def test_a_ratio_is_of_sums_and_utterances_are_drawn_whole() -> None:
    """Edits go with the words of their own utterance, or long ones would make it far wider."""
    draw = np.random.default_rng(1)
    words = draw.integers(1, 60, 50)
    edits = draw.binomial(words, np.where(words < 20, 0.6, 0.1))
    low, high = ratio_interval(edits, words)
    expected = resampled(lambda some, of: some.sum() / of.sum(), edits, words)
    assert (low, high) == pytest.approx(expected, abs=0.1 * (expected[1] - expected[0]))
    mean_of_ratios = resampled(lambda some, of: (some / of).mean(), edits, words)
    assert abs(mean_of_ratios[0] - expected[0]) > 0.1 * (expected[1] - expected[0])
    assert ratio_interval(words, words) == (1, 1)


def test_the_same_values_have_the_same_interval() -> None:
    values = np.random.default_rng(0).random(30)
    assert mean_interval(values) == mean_interval(values.copy())
    assert "resamples:1000|seed:0" in INTERVAL_SIGNATURE


@pytest.mark.parametrize("values", [[0.5], [0.5, 0.5, 0.5], [0.0, 0.0]])
def test_where_nothing_varies_the_interval_is_the_value(values: list[float]) -> None:
    assert mean_interval(np.array(values)) == (values[0], values[0])
    assert ratio_interval(np.array(values), np.ones(len(values))) == (values[0], values[0])
