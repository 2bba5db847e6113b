"""The command ``summarize``: documents in, summaries out; what is said of them goes to stderr."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import torch

from mocha_lightning.data import DocumentBatch
from mocha_lightning.data.word_feed import WordFeed
from mocha_lightning.each_file import STANDARD_INPUT, each_file, say
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.places import write_whole
from mocha_lightning.summarization.options import STANDARD_INPUT_NAME, Options
from mocha_lightning.summarization.printing import Printer, Summary
from mocha_lightning.summarization.trained import Summarization, load_summarization
from mocha_lightning.summarizer.alignments import alignments_of
from mocha_lightning.summarizer.decoder import Read
from mocha_lightning.summarizer.streaming import SummaryStream, SummaryWord

PIECE = 1 << 16
"""Bytes that are read at a time."""


def summarize(options: Options) -> bool:
    """Print summaries, document after document; one that cannot be used keeps no other from it.

    Returns:
        Whether all of them could be summarised.

    Raises:
        UserError: the run cannot be used, or cannot summarise what it has not read to the end.
    """
    torch.set_num_threads(1)  # as runs compute
    torch.set_flush_denormal(True)
    summarization = load_summarization(Path(options.checkpoint))
    width = options.beam or summarization.summarizer.beam_width
    if options.stream:
        stream = SummaryStream(summarization.summarizer)
        width = 1
    search = summarization.summarizer.search.signature(width)
    frontend = summarization.frontend
    say(
        f"{summarization.mechanism}, {search}, which reads the first {frontend.source_words} words "
        f"of a document, cut by {summarization.tokenizer.name}, from {options.checkpoint}"
    )
    if summarization.tokenizer.name != frontend.tokenized_by:
        say(
            f"its corpus was cut into words by {frontend.tokenized_by}, and documents are here by "
            f"{summarization.tokenizer.name}: words may differ"
        )
    several = len(options.files) > 1

    def do(name: str) -> None:
        if options.stream:
            _follow(summarization, stream, Printer(name, False, options.json))
            return
        # Named in messages as it is in the output.
        given = STANDARD_INPUT_NAME if name == STANDARD_INPUT else name
        words = _words(given, summarization)
        printer = Printer(name, several, options.json)
        _summarize(name, words, summarization, width, printer, options.attention)

    names = [
        STANDARD_INPUT if name == STANDARD_INPUT_NAME else name
        for name in options.files or (STANDARD_INPUT_NAME,)
    ]
    return each_file(names, do)


def _summarize(
    name: str,
    words: list[str],
    summarization: Summarization,
    width: int,
    printer: Printer,
    picture: str | None,
) -> None:
    summarizer, vocabulary = summarization.summarizer, summarization.frontend.vocabulary
    batch = summarization.batch(name, words)
    (unknown,), length = batch.unknown, int(batch.source_lengths)
    if length < len(words):
        say(f"{name}: cut: the first {length:,} of its {len(words):,} words are read")
    if (batch.source == vocabulary.UNK).all():
        say(
            f"{name}: none of the words that are read is in the vocabulary (words are cut by "
            f"{summarization.tokenizer.name})"
        )
    with torch.inference_mode():
        read = summarizer.read(batch)
        found = summarizer.decode(read, "hard", width)
    numbers = found.tokens[0, : int(found.lengths)]
    summary = vocabulary.decode(numbers.tolist(), unknown)
    printer.end(Summary(summary, length, len(words), not bool(found.capped)))
    if picture is not None:
        # Rows are words: what is none (a model that learnt nothing may say it) has no row.
        rows = numbers[(numbers == vocabulary.UNK) | (numbers > vocabulary.EOS)]
        target = torch.cat([rows, rows.new_tensor([vocabulary.EOS])])
        made = batch._replace(
            target=target.unsqueeze(0), target_lengths=torch.tensor([len(target)])
        )
        _draw(Path(picture), summarization, made, read)


def _draw(path: Path, summarization: Summarization, batch: DocumentBatch, read: Read) -> None:
    """Draw what each word of a summary attends to, given the words before it."""
    # A second to import, and needed only here.
    from mocha_lightning.pictures.figure import png
    from mocha_lightning.pictures.word_figure import draw_words

    summarizer = summarization.summarizer
    alignments = alignments_of(summarizer.decoder, summarizer.vocabulary, batch, read)
    picture = png(draw_words({summarization.mechanism: alignments}))
    try:
        write_whole(path, picture)
    except OSError as error:
        raise UserError(f"--attention {path}: cannot be written ({error.strerror})") from error
    say(f"{path}: shows where each word came from")
    if not alignments.hard.any():
        say("no word is attended to by hard attention: the head had passed the document's end")


def _follow(summarization: Summarization, stream: SummaryStream, printer: Printer) -> None:
    """Summarise standard input while it comes."""
    feed = WordFeed(summarization.tokenizer)
    most = summarization.frontend.source_words
    given = 0  # to the stream
    whole: int | None = None
    words: list[str] = []

    def tell(fresh: list[SummaryWord]) -> None:
        for word in fresh:
            words.append(word.text)
            printer.word(word)

    try:
        for piece in _pieces_of_words(feed):
            fresh = piece[: most - given]
            given += len(fresh)
            tell(stream.accept(fresh))
            if given == most or stream.ended:
                break  # whether more would come is not waited for
        else:
            whole = given
        if given == 0:
            raise UserError("has no word: give a text")
        tell(stream.finish())
    except (KeyboardInterrupt, UserError):
        printer.break_off()
        raise
    if given == most:
        say(f"{printer.name}: its first {most:,} words are read, and what follows is not")
    printer.end(Summary(words, given, whole, stream.ended))


def _pieces_of_words(feed: WordFeed) -> Iterator[list[str]]:
    for data in _standard_input():
        yield feed.accept(data)
    yield feed.finish()


def _words(name: str, summarization: Summarization) -> list[str]:
    """The words of a document.

    Raises:
        UserError: it cannot be read, is not UTF-8, or has no word.
    """
    feed = WordFeed(summarization.tokenizer)
    words = []
    for data in _standard_input() if name == STANDARD_INPUT_NAME else _file(Path(name)):
        words += feed.accept(data)
    words += feed.finish()
    if not words:
        raise UserError("has no word: give a text")
    return words


def _file(path: Path) -> Iterator[bytes]:
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            raise UserError("is a folder: give the files in it")
        with path.open("rb") as file:
            while data := file.read(PIECE):
                yield data
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"cannot be read ({reason}): give another file") from error


def _standard_input() -> Iterator[bytes]:
    """What comes, as it comes."""
    if sys.stdin is None:
        raise UserError("is closed: give it a text, as in `... | mocha-lightning summarize -`")
    try:
        while data := os.read(sys.stdin.fileno(), PIECE):
            yield data
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror}): give it a text") from error
