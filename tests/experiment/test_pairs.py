"""Comparisons, as pairs of variants."""

from mocha_lightning.experiment.pairs import is_repeated


def test_a_comparison_is_repeated_either_way_round_from_its_second_place_on() -> None:
    pairs = [("soft", "mocha"), ("soft", "hard"), ("mocha", "soft"), ("soft", "hard")]
    assert [is_repeated(pairs, place) for place in range(4)] == [False, False, True, True]
