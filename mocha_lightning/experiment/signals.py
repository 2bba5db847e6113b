"""What asks a process to stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OF_TERMINAL = (signal.SIGINT, signal.SIGHUP)
"""Those that reach all processes of a terminal: Ctrl-C, and that it was closed."""


@contextmanager
def heard_by(
    handler: Callable[[int, object], object], numbers: tuple[signal.Signals, ...] = STOPS
) -> Iterator[None]:
    """Have a handler hear what asks this process to stop.

    Args:
        handler: is given the signal's number.
        numbers: of the signals; one that is ignored (SIGHUP under nohup) stays so.
    """
    # None: it was not Python that set it, which could not set it again either.
    heard = [each for each in numbers if signal.getsignal(each) not in (signal.SIG_IGN, None)]
    before = {each: signal.signal(each, handler) for each in heard}
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual)


@contextmanager
def blocked(numbers: tuple[signal.Signals, ...]) -> Iterator[None]:
    """Have signals wait, and processes that begin meanwhile never hear them.

    Args:
        numbers: of the signals.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def stops_wait(left: tuple[signal.Signals, ...] = OF_TERMINAL) -> Iterator[None]:
    """Have what asks this process to stop wait until something has begun other processes.

    Args:
        left: what they leave to this one: it is blocked, which they inherit.
    """
    came: list[int] = []
    with heard_by(lambda number, _: came.append(number)), blocked(left):
        yield
    for number in came:
        signal.raise_signal(number)
