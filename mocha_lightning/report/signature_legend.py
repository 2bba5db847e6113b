"""What the parts of a signature mean that a reader meets, and columns of runs.csv like it."""

import re
from collections.abc import Iterable

from mocha_lightning.report.results import Result

_PARTS = {
    r"case:lower": "capitals and small letters are the same.",
    r"case:kept": "capitals and small letters differ.",
    r"stemmer:porter": "words count as the same where Porter's stemmer makes them so.",
    r"tokens:a-z0-9": "words are runs of letters a to z and of figures.",
    r"tokens:spaces": "words are what lies between spaces.",
    r"tokens:white space": "words are what lies between white space.",
    r"sentences:lines": (
        "each line of a text is a sentence (for ROUGE-Lsum alone); what a model writes has a line "
        "end after each full stop, question mark or exclamation mark."
    ),
    r"without:[^|]+": "symbols that are nothing said and do not count.",
    r"attention:hard": "as the model is used: at each entry a monotonic head stops or goes on.",
    r"attention:expected": "as the model is trained: in expectation over where the head stops.",
    r"attention:none": "there is no attention.",
    r"search:greedy": "always the likeliest symbol is taken.",
    r"search:(?:prefix-)?beam-\d+": "the search keeps so many hypotheses at a time.",
    r"threshold:[^|]+": (
        "a hypothesis goes whose probability is so many nats (natural logarithm) below the "
        "likeliest one's."
    ),
    r"most:\d+": "a summary is cut off at so many words.",
    r"least:\d+": "no summary ends before so many words.",
    r"length-normalization:[^|]+": (
        "hypotheses are compared by log P / n^alpha, n their length and alpha this number."
    ),
}
"""By what a part looks like; what a library's name and version say needs no word."""
_COLUMNS = {
    "copied": (
        "share of probability that the model gives to copying and not to its vocabulary, mean over "
        "the words of the true summaries."
    ),
    "unknown_words": (
        "share of a model's words that its vocabulary lacks, which copying alone can write."
    ),
}


def signature_legend(signatures: Iterable[str]) -> dict[str, str]:
    """Explain the parts that some signatures have, in their order."""
    parts = dict.fromkeys(part for signature in signatures for part in signature.split("|"))
    return {
        part: meaning
        for part in parts
        for pattern, meaning in _PARTS.items()
        if re.fullmatch(pattern, part)
    }


def record_legend(runs: Iterable[Result]) -> dict[str, str]:
    """Explain those columns of ``runs.csv`` that no table of the report has."""
    names = {name.rpartition("/")[2] for run in runs for name in run.metrics}
    return {column: meaning for column, meaning in _COLUMNS.items() if column in names}
