"""Families of texts, and splits by name."""

from collections import Counter

from mocha_lightning.data import Text
from mocha_lightning.data.deduplication import deduplicated, split_of

LONG = " ".join(f"w{number}" for number in range(25))


def kept(*texts: tuple[str, str, str, str], min_words: int = 1) -> list[str]:
    return [text.id for text in deduplicated([Text(*text) for text in texts], min_words)]


def test_a_family_shares_its_first_25_words() -> None:
    assert kept(
        ("a", "train", f"{LONG} for C", "one"),
        ("b", "train", f"{LONG.upper()}, for Perl", "two"),
        ("c", "train", f"x {LONG}", "three"),
    ) == ["a", "c"]


def test_a_summary_is_there_once_whatever_its_case_and_punctuation() -> None:
    assert kept(("a", "train", "x", "Tags it."), ("b", "train", "y", "tags IT")) == ["a"]


def test_what_is_tested_is_kept_and_gone_from_training() -> None:
    assert kept(
        ("a", "train", "x", "one"),
        ("b", "validation", "x", "two"),
        ("c", "test", "x", "three"),
        ("d", "train", "y", "four"),
    ) == ["c", "d"]


def test_short_documents_are_left_out_and_take_no_place() -> None:
    assert kept(("a", "train", "x y", "one"), ("b", "train", "x y z", "one"), min_words=3) == ["b"]


def test_a_name_decides_its_split_a_tenth_each() -> None:
    splits = Counter(split_of(f"name-{number}") for number in range(5000))
    assert split_of("s3") == split_of("s3")
    assert abs(splits["test"] - 500) < 80
    assert abs(splits["validation"] - 500) < 80
    assert splits["train"] == 5000 - splits["test"] - splits["validation"]
