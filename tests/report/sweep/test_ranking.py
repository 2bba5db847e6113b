"""Which settings are as good as the best, against SciPy."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from mocha_lightning.report.sweep.ranking import Ranking, pooled_deviation, ranking
from mocha_lightning.report.sweep.reading import read_sweep

from .conftest import SCORES, R, SweepFolder, W, many


def stood(sweep: SweepFolder) -> Ranking:
    read = read_sweep(sweep.path)
    found = ranking(read.trials, read.definition)
    assert found is not None
    return found


def test_the_pooled_deviation_is_that_of_student_s_test() -> None:
    one, other = [2.0, 2.5, 2.2, 9.0], [4.0, 4.4]
    t = stats.ttest_ind(one, other).statistic
    error = (np.mean(one) - np.mean(other)) / t
    assert pooled_deviation([one, other]) == pytest.approx(error / (1 / 4 + 1 / 2) ** 0.5)


def test_the_pooled_deviation_is_that_of_the_analysis_of_variance(tmp_path: Path) -> None:
    read = read_sweep(many(tmp_path / "runs" / "big").path)
    samples = [trial.scores for trial in read.trials if trial.state == "complete"]
    means = [np.mean(sample) for sample in samples]
    between = 3 * np.var(means, ddof=1)
    within = between / stats.f_oneway(*samples).statistic
    assert pooled_deviation(samples) == pytest.approx(within**0.5)


def test_the_best_has_its_mean_deviation_and_interval(sweep: SweepFolder) -> None:
    found = stood(sweep)
    scores = SCORES[0][2]
    assert found.best == 0
    assert found.summary.mean == pytest.approx(np.mean(scores))
    assert found.summary.sd == pytest.approx(stats.tstd(scores))
    interval = stats.t.interval(0.95, 2, loc=np.mean(scores), scale=stats.sem(scores))
    assert found.summary.interval == pytest.approx(interval)


def test_those_within_one_standard_error_are_counted_from_the_best_on(sweep: SweepFolder) -> None:
    near = stood(sweep).near
    assert near is not None
    variances = [stats.tvar(scores) for _, _, scores in SCORES.values()]
    assert near.pooled_sd == pytest.approx(np.mean(variances) ** 0.5)
    assert near.standard_error == pytest.approx(near.pooled_sd / 3**0.5)
    # Variances are 0.01, 0.04, 0.01, 0.03 and 0.01; means are 2.30, 2.35, 2.40 and more.
    assert near.standard_error == pytest.approx((0.02 / 3) ** 0.5)
    assert near.trials == (0, 4)


def test_where_more_is_better_the_highest_is_best(tmp_path: Path) -> None:
    metric = {"name": "val/rouge2", "mode": "max"}
    sweep = SweepFolder(tmp_path / "runs" / "up", metric=metric)
    for number, (w, r, scores) in SCORES.items():
        sweep.trial(number, {W: w, R: r}, [*scores])
    found = stood(sweep)
    assert found.best == 1
    assert found.near is not None
    assert found.near.trials == (1,)


def test_values_that_have_a_near_setting_are_told_from_those_that_have_none(
    sweep: SweepFolder,
) -> None:
    (shares,) = stood(sweep).shares
    assert shares.name == "chunk_size"
    assert shares.near == (4, 8)
    assert shares.complete == (1, 2, 4, 6, 8)
    assert shares.never == (3,)


def test_a_setting_that_is_tried_again_counts_once(sweep: SweepFolder) -> None:
    before = stood(sweep)
    w, r, scores = SCORES[4]
    sweep.trial(6, {W: w, R: r}, [*scores])
    sweep.trial(7, {W: w, R: r}, [*scores])
    after = stood(sweep)
    assert (after.settings, after.repeated) == (5, 2)
    assert after.near == before.near


def test_of_equals_the_first_is_best(sweep: SweepFolder) -> None:
    sweep.trial(6, {W: 2, R: 0.0}, [2.2, 2.4, 2.3])
    assert stood(sweep).best == 0


def test_one_run_of_each_says_nothing_of_how_runs_vary(tmp_path: Path) -> None:
    found = stood(many(tmp_path / "runs" / "one", seeds=[0]))
    assert found.near is None
    assert found.shares == ()
    assert found.summary.sd is None


def test_worse_settings_that_vary_more_are_told_of(sweep: SweepFolder) -> None:
    near = stood(sweep).near
    assert near is not None
    assert not near.uneven
    # Most settings do not learn: the median deviation is no measure of the good ones either.
    for number in (1, 6, 7, 8, 9, 10):
        sweep.trial(number, {W: 1, R: number / 10}, [20.0, 90.0, 50.0])
    near = stood(sweep).near
    assert near is not None
    assert near.uneven
    assert len(near.trials) == 4
    variances = [stats.tvar(SCORES[number][2]) for number in near.trials]
    assert near.own_sd == pytest.approx(np.mean(variances) ** 0.5)
    assert near.by_own == 2


def test_where_the_count_is_the_same_worse_settings_do_not_matter(sweep: SweepFolder) -> None:
    for number in (2, 3):
        sweep.trial_file(number).unlink()
    sweep.trial(1, {W: 1, R: 0.5}, [20.0, 90.0, 50.0])
    near = stood(sweep).near
    assert near is not None
    assert near.pooled_sd > 2 * near.own_sd
    assert not near.uneven


def test_runs_that_are_all_equal_leave_the_best_alone(tmp_path: Path) -> None:
    sweep = SweepFolder(tmp_path / "runs" / "level")
    sweep.trial(0, {W: 1, R: 0.0}, [3.0, 3.0, 3.0])
    sweep.trial(1, {W: 2, R: 0.0}, [2.0, 2.0, 2.0])
    near = stood(sweep).near
    assert near is not None
    assert near.trials == (1,)


def test_without_a_complete_trial_nothing_is_best(tmp_path: Path) -> None:
    sweep = SweepFolder(tmp_path / "runs" / "none")
    sweep.trial(0, {W: 1, R: 0.0}, [], "pruned", "at step 300 of seed 0")
    read = read_sweep(sweep.path)
    assert ranking(read.trials, read.definition) is None
