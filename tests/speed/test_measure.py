"""What is timed, in which order, on how many threads."""

from collections import Counter

import pytest
from threadpoolctl import threadpool_info

from mocha_lightning.speed.interleaving import rotations
from mocha_lightning.speed.measure import Timed, libraries, measure
from mocha_lightning.speed.mechanisms import Mechanism
from mocha_lightning.speed.settings import Settings

TINY = Settings(
    lengths=(3, 5), chunk_sizes=(1, 2), trials=3, memory_dim=4, query_dim=4, energy_dim=4
)


class Notes:
    """What a measurement says of how far it is."""

    def __init__(self) -> None:
        self.trials: list[int] = []
        self.lengths: list[Timed] = []

    def trial_done(self, length: int) -> None:
        self.trials.append(length)

    def length_done(self, timed: Timed) -> None:
        self.lengths.append(timed)


def test_every_trial_of_every_length_and_variant_is_there() -> None:
    notes = Notes()
    found = measure(TINY, notes)
    assert [(each.variant, each.length) for each in found] == [
        ("recomputed", 3),
        ("recomputed", 5),
        ("projected", 3),
        ("projected", 5),
    ]
    for each in found:
        assert list(each.milliseconds) == ["soft", "monotonic", "mocha_w2"]
        assert all(len(trials) == 3 for trials in each.milliseconds.values())
        assert all(time > 0 for trials in each.milliseconds.values() for time in trials)
        # Passed entries and stops, each of which is one energy; of the end itself there is none.
        assert each.scan.energies == each.scan.passed + each.scan.stopped <= 2 * each.length
    assert notes.lengths == found
    assert notes.trials == [3, 3, 3, 5, 5, 5] * 2


def test_both_variants_have_the_same_scan() -> None:
    recomputed, projected = measure(Settings(**{**vars(TINY), "lengths": (40,)}), Notes())
    assert recomputed.scan == projected.scan


def test_every_round_has_all_and_each_is_first_as_often() -> None:
    orders = list(rotations("abc", 6))
    assert orders[:4] == [tuple("abc"), tuple("bca"), tuple("cab"), tuple("abc")]
    assert Counter(order[0] for order in orders) == {"a": 2, "b": 2, "c": 2}


def test_trials_run_in_rotation_and_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    attend, names, threads = Mechanism.attend, [], set()

    def noted(self: Mechanism, *arguments):
        names.append(self.name)
        threads.update(library["num_threads"] for library in threadpool_info())
        return attend(self, *arguments)

    monkeypatch.setattr(Mechanism, "attend", noted)
    measure(Settings(**{**vars(TINY), "lengths": (3,), "trials": 2}), Notes())
    warm_up, first, second = ["soft", "monotonic", "mocha_w2"], names[3:6], names[6:9]
    assert names[:3] == warm_up
    assert first == ["soft", "monotonic", "mocha_w2"]
    assert second == ["monotonic", "mocha_w2", "soft"]
    assert threads == {1}


def test_the_libraries_with_threads_are_told_and_no_folder_of_this_machine() -> None:
    found = libraries()
    assert {library["num_threads"] for library in found} == {1}
    assert any(library["user_api"] == "blas" for library in found)
    assert not any("filepath" in library for library in found)
