"""Reading recordings into a cache, by all cores, on from where it was stopped."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from mocha_lightning.data.cache import Utterance
from mocha_lightning.data.extraction import Extraction
from mocha_lightning.data.features import SHIFT_MILLISECONDS
from mocha_lightning.data.recording import Candidate, extract_candidate
from mocha_lightning.data.unusable import Dropped, Limits, Reason
from mocha_lightning.data.workers import in_order
from mocha_lightning.data.writing import CacheWriter
from mocha_lightning.errors import UserError

SPEED_SECONDS = 300.0
"""What the time that is left is reckoned from: the speed of the last minutes, of this process."""
GIB = 1 << 30


def read_all(
    candidates: list[Candidate] | Iterator[Candidate],
    writer: CacheWriter,
    limits: Limits,
    droppable: frozenset[Reason],
    processes: int,
) -> list[Dropped]:
    """Have a writer take all candidates in order, those that it has from an earlier start skipped.

    From the first on that cannot be used and must not be left out, the others of that kind are
    looked for and nothing is written any more; a new start goes on before that one.

    Args:
        candidates: a list where their number and lengths are known.
        writer: takes what is extracted.
        limits: how long utterances may be.
        droppable: reasons for which one is left out.
        processes: that read at the same time.

    Returns:
        Those that cannot be used and must not be left out.

    Raises:
        UserError: the writer has been begun with other recordings; there is too little room.
    """
    bad: list[Dropped] = []
    extract = partial(extract_candidate, writer.features, limits)
    if isinstance(candidates, list):
        _check_room(candidates[len(writer.notes) :], writer)
    if done := len(writer.notes):
        of = f" of {len(candidates):,}" if isinstance(candidates, list) else ""
        print(f"Going on with {done:,}{of} recordings done", file=sys.stderr)
    with (
        _progress(candidates, writer) as advance,
        closing(in_order(extract, _rest(candidates, writer), processes)) as extracted,
    ):
        for (recording, seconds), outcome in extracted:
            if isinstance(outcome, Extraction):
                if not bad:
                    text = recording.text or ""
                    utterance = Utterance(recording.id, recording.split, text, recording.speaker)
                    writer.use(utterance, outcome)
            else:
                dropped = Dropped.because(str(recording), recording.split, outcome)
                if outcome.reason not in droppable:
                    bad.append(dropped)
                elif not bad:
                    writer.drop(recording.id, dropped)
            read = outcome.seconds if isinstance(outcome, Extraction) else 0.0
            advance(read if seconds is None else seconds)
    return bad


def _rest(candidates: Iterable[Candidate], writer: CacheWriter) -> Iterator[Candidate]:
    """The candidates after those that the writer has."""
    done = [note.id for note in writer.notes]
    number = 0
    for number, candidate in enumerate(candidates, 1):
        if number > len(done):
            yield candidate
        elif candidate.recording.id != done[number - 1]:
            raise _begun_otherwise(writer)
    if number < len(done):
        raise _begun_otherwise(writer)


def _begun_otherwise(writer: CacheWriter) -> UserError:
    return UserError(
        f"{writer.folder.resolve()}: was begun with other recordings than those that can be used "
        "now: delete that folder, and the corpus is read from its beginning"
    )


def room_for(candidates: Sequence[Candidate], writer: CacheWriter) -> int:
    """Bytes that recordings of known length will take."""
    lengths = [each.seconds for each in candidates if each.seconds is not None]
    frames = sum(lengths) * 1000 / SHIFT_MILLISECONDS
    return int(frames) * writer.frame_bytes + len(lengths) * writer.row_bytes


def _check_room(candidates: Sequence[Candidate], writer: CacheWriter) -> None:
    needed = room_for(candidates, writer)
    free = shutil.disk_usage(writer.folder).free
    if free < needed:
        raise UserError(
            f"{writer.folder.parent.resolve()}: the prepared corpus needs {needed / GIB:.2f} GiB "
            f"more and {free / GIB:.2f} GiB are free: make room or name another folder "
            "(data.cache_dir)"
        )


@contextmanager
def _progress(
    candidates: list[Candidate] | Iterator[Candidate], writer: CacheWriter
) -> Iterator[Callable[[float], None]]:
    """Show how far the reading is, in recordings and hours; to be told the seconds of each."""
    count = len(writer.notes)
    done = sum(item.seconds for item in writer.utterances)
    total, of_count, of_hours = None, "", ""
    if isinstance(candidates, list):
        known = [each.seconds for each in candidates]
        of_count = f"/{len(candidates):,}"
        if None not in known:
            total, done = sum(filter(None, known)), sum(filter(None, known[:count]))
            of_hours = f"/{total / 3600:.2f}"
    with Progress(
        TextColumn("Reading recordings"),
        BarColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        speed_estimate_period=SPEED_SECONDS,
    ) as progress:
        # What an earlier process has done counts as done, and not for the speed.
        task = progress.add_task(
            _told(count, of_count, done, of_hours), total=total, completed=round(done)
        )

        def advance(seconds: float) -> None:
            nonlocal count, done
            count, done = count + 1, done + seconds
            told = _told(count, of_count, done, of_hours)
            progress.update(task, advance=seconds, description=told)

        yield advance


def _told(count: int, of_count: str, seconds: float, of_hours: str) -> str:
    return f"{count:,}{of_count}, {seconds / 3600:.2f}{of_hours} h"
