"""What asks a process to stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def heard_by(
    handler: Callable[[int, object], object], numbers: tuple[signal.Signals, ...] = STOPS
) -> Iterator[None]:
    """Have a handler hear what asks this process to stop.

    Args:
        handler: is given the signal's number.
        numbers: of the signals; one that is ignored (SIGHUP under nohup) stays so.
    """
    heard = [each for each in numbers if signal.getsignal(each) != signal.SIG_IGN]
    before = {each: signal.signal(each, handler) for each in heard}
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual)
