"""The lead, and what knows nothing of its document."""

import pytest

from mocha_lightning.metrics.baselines import commonest, lead, mismatched


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("a b .\nc .\nd .\ne .", "a b .\nc .\nd ."),
        ("a b .\n\n \nc .", "a b .\nc ."),  # as many as there are
        ("he came . she left . it rained . it stopped .", "he came .\nshe left .\nit rained ."),
        ("Mr. Smith came. She left! Why? No.", "Mr. Smith came.\nShe left!\nWhy?"),
        ("no stop at all", "no stop at all"),
        ("", ""),
    ],
)
def test_the_lead_is_the_first_three_sentences(document: str, expected: str) -> None:
    assert lead(document) == expected


def test_the_lead_is_as_long_as_is_asked_for() -> None:
    assert lead("a .\nb .\nc .", 1) == "a ."
    assert lead("he came . she left .", 1) == "he came ."


@pytest.mark.parametrize("count", [2, 3, 10, 101])
def test_no_document_keeps_its_own_output_and_each_output_is_dealt_once(count: int) -> None:
    own = [f"output {number}" for number in range(count)]
    dealt = mismatched(own)
    assert sorted(dealt) == sorted(own)
    assert all(one != other for one, other in zip(dealt, own, strict=True))
    assert mismatched(own) == dealt


def test_a_single_document_keeps_its_own() -> None:
    assert mismatched(["a"]) == ["a"]


def test_the_commonest_output_is_counted() -> None:
    assert commonest(["b", "a", "c", "a"]) == ("a", 2)
    assert commonest(["b", "a", "a", "b"]) == ("b", 2)  # of equally frequent ones the first
