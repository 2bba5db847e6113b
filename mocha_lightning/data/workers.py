"""The same work on many things, by several processes.

Not by threads: SPHERE is decoded in Python, and reading features out of their library is Python
too. Not by ``multiprocessing``: a fork of a process in which torch has threads may hang, its
workers otherwise import what the main script imports, and they outlive a process that is killed.
"""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar

from mocha_lightning.data import worker_process
from mocha_lightning.errors import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")

ALONE_SECONDS = 1.0
"""Work that is done by then is not worth starting processes for."""
AHEAD = 4
"""Calls for each process that are begun before the first of their results is taken."""


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], processes: int
) -> Generator[tuple[Item, Result], None, None]:
    """Each item with what a function makes of it, in the order of the items.

    For a second this process does it alone, and then has others do the rest. Close the iterator
    (``contextlib.closing``) where it is not gone through to its end.

    Args:
        function: of a module, or a ``partial`` of one; other processes import it.
        items: are drawn as they are needed, a few ahead.
        processes: how many; with 1 there is no other.

    Raises:
        UserError: the function raised it, or a process was killed.
        RuntimeError: the function raised another error; its traceback is the text.
    """
    rest, begun = iter(items), time.monotonic()
    while processes == 1 or time.monotonic() - begun < ALONE_SECONDS:
        try:
            item = next(rest)
        except StopIteration:
            return
        yield item, function(item)
    with _Workers(processes) as workers:
        yield from workers.in_order(function, rest)


class _Workers:
    """Processes that wait for calls, and as many threads that wait for their answers."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._all = [_Worker() for _ in range(count)]
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._all:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(count)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._all:
            worker.stop()
        # Threads that wait for an answer are told by the end of their process that there is none.
        self._threads.shutdown(cancel_futures=True)
        for worker in self._all:
            worker.close()

    def in_order(
        self, function: Callable[[Item], Result], items: Iterator[Item]
    ) -> Iterator[tuple[Item, Result]]:
        pending: deque[tuple[Item, Future[Result]]] = deque()

        def begin(count: int) -> None:
            for item in islice(items, count):
                pending.append((item, self._threads.submit(self._call, function, item)))

        begin(AHEAD * self.count)
        while pending:
            item, future = pending.popleft()
            yield item, future.result()
            begin(1)

    def _call(self, function: Callable[[Item], Result], item: Item) -> Result:
        worker = self._idle.get()
        try:
            result: Result = worker.call(function, item)
            return result
        finally:
            self._idle.put(worker)


class _Worker:
    """One process."""

    def __init__(self) -> None:
        # -P: the script's folder is not searched for modules; ours there have common names.
        # A session of its own: Ctrl-C ends the process that it works for, and that ends it.
        # One thread: there are as many processes as cores.
        self._process = subprocess.Popen(
            [sys.executable, "-P", worker_process.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._calls, self._answers = self._process.stdin, self._process.stdout
        self._modules: list[str] | None = sys.path

    def call(self, function: Callable[[Any], Any], item: Any) -> Any:
        """Have it do a call and wait for the result."""
        try:
            if self._modules is not None:
                pickle.dump(self._modules, self._calls)
                self._modules = None
            pickle.dump((function, item), self._calls)
            self._calls.flush()
            kind, content = pickle.load(self._answers)
        except (EOFError, pickle.UnpicklingError, BrokenPipeError):
            raise self._ended() from None
        if kind == "mistake":
            raise UserError(content)
        if kind == "failure":
            raise RuntimeError(f"in a process that prepares the corpus:\n{content}")
        return content

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close the pipes of a process that has ended."""
        self._answers.close()
        # What it was not told any more is lost.
        with suppress(BrokenPipeError):
            self._calls.close()

    def _ended(self) -> Exception:
        code = self._process.wait()
        if code < 0:
            return UserError(
                f"a process that prepares the corpus was killed by {signal.Signals(-code).name} "
                f"(signal {-code}), by somebody or by the system where memory ran out: give the "
                "same command again, where memory is short with fewer processes "
                "(mocha-lightning prepare --jobs)"
            )
        return RuntimeError(
            f"a process that prepares the corpus ended with exit code {code}; its message is above"
        )
