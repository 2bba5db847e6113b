"""Samples as Markdown, whatever characters a text has."""

import re
from collections.abc import Iterable, Iterator, Mapping

from mocha_lightning.report.formats import ABSENT, printable
from mocha_lightning.report.samples import Sample

_IN_SENTENCES = re.compile(r"[\\`*~$]|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w)|\](?=[(\[])|&(?=#?\w+;)")
_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def sample_list(samples: Iterable[Sample], seeds: Mapping[str, int]) -> str:
    """List the samples, each text in a line of its own.

    Args:
        samples: the examples.
        seeds: by variant, the run that its outputs are of.
    """
    return "\n\n".join("\n".join(_lines(sample, seeds)) for sample in samples)


def _lines(sample: Sample, seeds: Mapping[str, int]) -> Iterator[str]:
    yield f"**{escaped(sample.id)}**\n"
    if sample.source is not None:
        yield f"- source: {escaped(sample.source)}"
    yield f"- reference: {escaped(sample.reference)}"
    for variant, output in sample.outputs.items():
        text = ABSENT if output is None else escaped(output) or "(nothing)"
        yield f"- {escaped(variant)} (seed {seeds[variant]}): {text}"


def sentence(text: str) -> str:
    """Write a line that quotes what experiments and runs say, to be read as it is in a terminal.

    Only what Markdown would take for a sign of its own gets a backslash: no `_` within a word.
    """
    return _IN_SENTENCES.sub(r"\\\g<0>", " ".join(printable(text).split()))


def escaped(text: str) -> str:
    """Write a text in one line, in which Markdown finds no sign of its own, nor a terminal any."""
    return _SIGNS.sub(r"\\\1", " ".join(printable(text).split()))
