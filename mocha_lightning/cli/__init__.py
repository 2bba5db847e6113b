"""The command line, a command a file. Nothing here imports torch before a command needs it."""

import signal
import sys
from collections.abc import Sequence
from types import FrameType

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code."""
    ctrl_c = _CtrlC()
    try:
        # Imported here: Ctrl-C in that moment is to be as plain as later.
        from mocha_lightning.cli.dispatch import dispatch

        code = dispatch(arguments)
    except BaseException as error:
        # A library that is being imported may make anything of it.
        stopped = isinstance(error, KeyboardInterrupt) or ctrl_c.came
        if not stopped or isinstance(error, SystemExit):
            raise
        # What libraries still do as the interpreter ends is not to be interrupted, too.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("\nStopped. The same command goes on where it stood.", file=sys.stderr)
        code = INTERRUPTED
    finally:
        ctrl_c.forget()
    sys.exit(code)


class _CtrlC:
    """Remembers that Ctrl-C came, which otherwise does what it always does."""

    def __init__(self) -> None:
        self.came = False
        # Where it is ignored (nohup) it stays so.
        self._usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._usual:
            signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        signal.default_int_handler(number, frame)

    def forget(self) -> None:
        if self._usual and signal.getsignal(signal.SIGINT) == self._note:
            signal.signal(signal.SIGINT, signal.default_int_handler)
