"""A text that comes in pieces of bytes, cut into words as if it had come at once."""

import codecs

from mocha_lightning.data.document_frontend import words_of
from mocha_lightning.data.tokenizing import SpaceTokenizer, Tokenizer
from mocha_lightning.errors import UserError

BYTE_ORDER_MARK = "\ufeff"
LONGEST = 1 << 24
"""Characters of a line that are waited for; no text has such a line."""


class WordFeed:
    """Gives words as soon as nothing that may follow can change them.

    Words that lie between white space are whole where white space follows. Other tokenizers look
    at whole lines: their words come with the line's end.

    Args:
        tokenizer: what cuts it.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._whole = _after_space if isinstance(tokenizer, SpaceTokenizer) else _after_line
        self._waiting: list[str] = []
        self._waited = 0
        self._lines = 0
        self._begun = False

    def accept(self, data: bytes) -> list[str]:
        """The words that some more bytes complete.

        Raises:
            UserError: they are not UTF-8.
        """
        text = self._decoded(data, final=False)
        place = self._whole(text)
        if place == 0:
            self._waiting.append(text)
            self._waited += len(text)
            if self._waited > LONGEST:
                raise UserError(
                    f"line {self._lines + 1} has more than {LONGEST:,} characters: give a text"
                )
            return []
        self._waited = len(text) - place
        complete, self._waiting = "".join([*self._waiting, text[:place]]), [text[place:]]
        return words_of(self._tokenizer, complete)

    def finish(self) -> list[str]:
        """The words that were left, now that the text is over.

        Raises:
            UserError: it ends within a character.
        """
        rest = self._decoded(b"", final=True)
        complete, self._waiting = "".join([*self._waiting, rest]), []
        return words_of(self._tokenizer, complete)

    def _decoded(self, data: bytes, final: bool) -> str:
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            line = self._lines + error.object.count(b"\n", 0, error.start) + 1
            raise UserError(
                f"is not UTF-8 (byte 0x{error.object[error.start]:02x} in line {line}): convert it"
            ) from error
        self._lines += data.count(b"\n")
        if text and not self._begun:
            self._begun = True
            return text.removeprefix(BYTE_ORDER_MARK)
        return text


def _after_space(text: str) -> int:
    """The place after a text's last white space; 0 where there is none."""
    return next((at for at in range(len(text), 0, -1) if text[at - 1].isspace()), 0)


def _after_line(text: str) -> int:
    """The place after a text's last line end, of any kind; 0 where there is none."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return 0
    last = lines[-1]
    return len(text) if last.splitlines() != [last] else len(text) - len(last)
