"""A file of a prepared corpus: read at any place, never short."""

import gc
import os
from pathlib import Path

import pytest

from mocha_lightning.data.sealed_file import SealedFile
from mocha_lightning.errors import UserError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "letters"
    path.write_bytes(b"abcdefgh")
    return path


def read(file: SealedFile, start: int, count: int) -> bytes:
    buffer = bytearray(count)
    file.fill(memoryview(buffer), start)
    return bytes(buffer)


def test_it_is_read_at_any_place_in_any_order(path: Path) -> None:
    file = SealedFile(path)
    assert [read(file, 5, 3), read(file, 0, 2), read(file, 8, 0)] == [b"fgh", b"ab", b""]


def test_cut_short_while_it_is_open_it_is_an_error_and_no_crash(path: Path) -> None:
    file = SealedFile(path)
    os.truncate(path, 6)
    assert read(file, 4, 2) == b"ef"
    with pytest.raises(UserError, match=rf"{path}: has been cut short while it was in use: delete"):
        read(file, 4, 3)


def test_it_is_closed_with_its_object(path: Path) -> None:
    file = SealedFile(path)
    descriptor = file._file
    assert Path(f"/proc/self/fd/{descriptor}").readlink() == path
    del file
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
