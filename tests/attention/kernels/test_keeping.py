"""Compiled code is kept between processes, and never when its source has changed."""

from pathlib import Path

import numba
import pytest

from mocha_lightning.attention.kernels import keeping


def test_the_folder_goes_by_the_content_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "user_cache_path", lambda name: tmp_path / name)
    (tmp_path / "kernels.py").write_text("calls what is in the other file")
    folders = []
    for content in ("one", "two", "one"):
        (tmp_path / "called.py").write_text(content)
        before = numba.config.CACHE_DIR
        with keeping.kept_by_content(tmp_path) as kept:
            assert kept
            folders.append(numba.config.CACHE_DIR)
        assert before == numba.config.CACHE_DIR
    assert folders[0] == folders[2] != folders[1]


def test_nothing_is_kept_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(keeping, "user_cache_path", lambda _: tmp_path / "file")
    with keeping.kept_by_content(tmp_path) as kept:
        assert not kept
