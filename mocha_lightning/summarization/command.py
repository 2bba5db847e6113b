"""The command ``summarize``: documents in, summaries out; what is said of them goes to stderr."""

from collections.abc import Iterator
from pathlib import Path

import torch

from mocha_lightning.data import DocumentBatch
from mocha_lightning.data.document_rows import Columns
from mocha_lightning.data.document_texts import LeftOut
from mocha_lightning.data.word_feed import WordFeed
from mocha_lightning.each_file import STANDARD_INPUT, each_file, say
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.summarization.documents import (
    Document,
    row_documents,
    standard_input,
    text_document,
)
from mocha_lightning.summarization.options import STANDARD_INPUT_NAME, Options, Rows
from mocha_lightning.summarization.printing import Printer, Summary
from mocha_lightning.summarization.trained import Summarization, load_summarization
from mocha_lightning.summarizer.alignments import alignments_of
from mocha_lightning.summarizer.decoder import Read
from mocha_lightning.summarizer.streaming import SummaryStream, SummaryWord


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
            _follow(summarization, stream, Printer(_shown(name), False, options.json))
        elif options.rows is not None:
            _summarize_rows(name, options.rows, summarization, width, options.json)
        else:
            document = text_document(name, frontend.source_words, summarization.tokenizer)
            printer = Printer(_shown(name), several, options.json)
            _summarize(document, summarization, width, printer, options.attention)

    return each_file(options.files or (STANDARD_INPUT_NAME,), do, _shown)


def _shown(name: str) -> str:
    return STANDARD_INPUT if name == STANDARD_INPUT_NAME else name


def _summarize_rows(
    file: str, rows: Rows, summarization: Summarization, width: int, as_json: bool
) -> None:
    """Summarise each row of a file.

    Raises:
        UserError: the file cannot be used, or, when all others are done, that some rows cannot.
    """
    columns = Columns(rows.document, rows.summary or rows.document, rows.id)
    with_reference = rows.summary is not None
    done = bad = 0
    for found in row_documents(Path(file), columns, with_reference, summarization.tokenizer):
        if isinstance(found, LeftOut):
            say(f"error: {found}")
            bad += 1
            continue
        printer = Printer(file, True, as_json, found.row)
        _summarize(found, summarization, width, printer, None)
        done += 1
    if bad:
        raise UserError(f"{bad:,} of its {bad + done:,} rows cannot be used (see above)")
    if not done:
        raise UserError("has no row: give another file")


def _summarize(
    document: Document,
    summarization: Summarization,
    width: int,
    printer: Printer,
    picture: str | None,
) -> None:
    summarizer, vocabulary = summarization.summarizer, summarization.frontend.vocabulary
    name = _shown(document.name)
    batch = summarization.batch(name, document.words)
    (unknown,), length = batch.unknown, int(batch.source_lengths)
    if length < document.length:
        say(f"{name}: cut: the first {length:,} of its {document.length:,} words are read")
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
    _tell(name, len(numbers), int((found.attended[0, : len(numbers)] == 0).sum()))
    printer.end(Summary(summary, length, document.length, not bool(found.capped)))
    if picture is not None:
        # Rows are words: what is none (a model that learnt nothing may say it) has no row.
        rows = numbers[(numbers == vocabulary.UNK) | (numbers > vocabulary.EOS)]
        target = torch.cat([rows, rows.new_tensor([vocabulary.EOS])])
        made = batch._replace(
            target=target.unsqueeze(0), target_lengths=torch.tensor([len(target)])
        )
        _draw(Path(picture), summarization, made, read)


def _tell(name: str, words: int, lost: int) -> None:
    """Say of a summary what its words do not.

    Args:
        name: of the document.
        words: of the summary.
        lost: those with nothing attended to.
    """
    if not words:
        say(f"{name}: (no words)")
    elif lost:
        say(
            f"{name}: {lost} of {words} words were written when the head had passed the "
            "document's end, with nothing attended to"
        )


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


def _follow(summarization: Summarization, stream: SummaryStream, printer: Printer) -> None:
    """Summarise standard input while it comes."""
    feed = WordFeed(summarization.tokenizer)
    most = summarization.frontend.source_words
    given = 0  # to the stream
    whole: int | None = None
    words: list[SummaryWord] = []

    def tell(fresh: list[SummaryWord]) -> None:
        words.extend(fresh)
        for word in fresh:
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
    _tell(printer.name, len(words), sum(word.stopped is None for word in words))
    printer.end(Summary([word.text for word in words], given, whole, stream.ended))


def _pieces_of_words(feed: WordFeed) -> Iterator[list[str]]:
    for data in standard_input():
        yield feed.accept(data)
    yield feed.finish()
