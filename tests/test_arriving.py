"""Input that is taken before anybody asks for it."""

import os
import threading

import pytest

from mocha_lightning.arriving import Arriving


def test_whoever_writes_need_not_wait_for_whoever_reads() -> None:
    source, sink = os.pipe()
    arriving = Arriving(source)
    data = os.urandom(1 << 20)  # sixteen times what a pipe holds
    sender = threading.Thread(target=lambda: (os.write(sink, data), os.close(sink)), daemon=True)
    sender.start()
    sender.join(10)
    assert not sender.is_alive()
    found = b""
    while piece := arriving.read():
        found += piece
    assert found == data


def test_what_the_system_refuses_is_told_to_whoever_reads(tmp_path) -> None:
    arriving = Arriving(os.open(tmp_path, os.O_RDONLY))
    with pytest.raises(IsADirectoryError):
        arriving.read()
