"""A few examples of the test set, with what each variant made of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mocha_lightning.report.predictions import Prediction

SAMPLES = 3
SOURCE_WORDS = 60
ABOUT = "The first examples of the test set, by name, and what each variant made of them."


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One example, and what the first run of each variant made of it.

    Attributes:
        id: its name.
        source: the document, cut; None for speech.
        reference: the true text.
        outputs: by variant; None where that run was not tested on it.
        new_words: by variant, words of the output that are not in the document; none of speech.
    """

    id: str
    source: str | None
    reference: str
    outputs: Mapping[str, str | None]
    new_words: Mapping[str, tuple[str, ...]]


def chosen(predictions: Iterable[Prediction]) -> tuple[str, ...]:
    """Which examples are shown: the first by name, whichever way they were tested in."""
    return tuple(sorted(prediction.id for prediction in predictions)[:SAMPLES])


def samples(ids: Sequence[str], runs: Mapping[str, Mapping[str, Prediction]]) -> tuple[Sample, ...]:
    """Put side by side what runs made of the same examples.

    Args:
        ids: the examples; the first run has all of them.
        runs: by variant and example.
    """
    first = next(iter(runs.values()))
    return tuple(
        Sample(
            id=each,
            source=_cut(first[each].source),
            reference=first[each].reference,
            outputs={
                variant: found[each].hypothesis if each in found else None
                for variant, found in runs.items()
            },
            new_words={
                variant: _new_words(found[each]) if each in found else ()
                for variant, found in runs.items()
            },
        )
        for each in ids
    )


def _new_words(prediction: Prediction) -> tuple[str, ...]:
    if prediction.source is None:
        return ()
    known = set(prediction.source.split())
    return tuple(dict.fromkeys(w for w in prediction.hypothesis.split() if w not in known))


def _cut(source: str | None) -> str | None:
    if source is None:
        return None
    words = source.split()
    return " ".join(words[:SOURCE_WORDS]) + (" …" if len(words) > SOURCE_WORDS else "")
