"""The text of Wall Street Journal transcripts, as recognisers of characters are taught it."""

import re
from string import ascii_lowercase

from mocha_lightning.data.vocabulary import Vocabulary

NOISE = "<noise>"
VOCABULARY = Vocabulary((" ", *ascii_lowercase, "'", ".", "-", NOISE), unscored=(NOISE,))
"""The 31 symbols that, with the end mark, are those of Bahdanau et al. 2016 (*End-to-end
attention-based large vocabulary speech recognition*); the MoChA paper names none. Noise is no word
that an error could be made in, as in Kaldi's scoring."""
MARKS = str.maketrans("", "", '!"%&()*,/:;<>?_`{}~')
"""What transcripts hold beyond the vocabulary: written, and not said. Verbalised punctuation keeps
its word (``,COMMA``: comma), a marked word (``<*MR.*>``, ``*read*``) loses its marks."""
RENAMED = {"%percent": "percent", ".point": "point", "--dash": "-dash"}
PAUSES = {"~", "."}
BESIDE_WORDS = re.compile(r"\[<\w+\]|\[\w+>\]|.*\[\w+/\]|.*\[/\w+\]")
"""``[<x]`` and ``[x>]``: a noise during the word before or after; ``[x/]`` and ``[/x]``: from
where and to where one lasts."""
ALONE = re.compile(r"\[\w+\]")
DELETED = re.compile(r"<([\w']+)>")
"""Marked as a slip of the tongue; it is said."""


def normalised(text: str) -> str:
    """A detailed orthographic transcript as text of :data:`VOCABULARY`.

    Word for word by the rules of Kaldi's recipe (egs/wsj/s5/local/normalize_transcript.pl), then in
    lower case and without the marks that the vocabulary lacks. A character that neither knows
    stays, to be found.
    """
    words = (_word(word) for word in text.lower().replace("\\", "").split())
    return " ".join(word for word in words if word)


def _word(word: str) -> str:
    word = RENAMED.get(word, word)
    if word in PAUSES or BESIDE_WORDS.fullmatch(word):
        return ""
    if ALONE.search(word):
        return NOISE
    return DELETED.sub(r"\1", word).translate(MARKS)
