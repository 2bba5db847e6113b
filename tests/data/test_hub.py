"""LibriSpeech through the library datasets, from files as the hub has them."""

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import soundfile

from mocha_lightning.data import LibriSpeechHub
from mocha_lightning.errors import UserError

from .recordings import SMALL, audio, opened, texts

FOLDERS = {"train": "train.100", "validation": "validation", "test": "test"}
AUDIO = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


@pytest.fixture(autouse=True)
def own_hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "hub"))


def flac(seed: int) -> bytes:
    file = io.BytesIO()
    samples = np.random.default_rng(seed).uniform(-0.3, 0.3, 3200)
    soundfile.write(file, samples, 16000, format="FLAC")
    return file.getvalue()


def row(name: str, content: bytes | None, **changes: Any) -> dict[str, Any]:
    speaker, chapter, _ = name.split("-")
    return {
        "file": f"{name}.flac",
        "audio": {"bytes": content, "path": f"{name}.flac"},
        "text": "IT'S SO",
        "speaker_id": int(speaker),
        "chapter_id": int(chapter),
        "id": name,
        **changes,
    }


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = {name: [each[name] for each in rows] for name in rows[0]}
    types = {"audio": AUDIO, "text": pa.string()}
    arrays = {name: pa.array(values, types.get(name)) for name, values in columns.items()}
    pq.write_table(pa.table(arrays), path)


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "librispeech_asr"
    for number, part in enumerate(FOLDERS.values(), 1):
        for shard in range(2):
            name = f"{number}-{shard}-0000"
            write(folder / "clean" / part / f"{shard:04d}.parquet", [row(name, flac(number))])
    (folder / "clean" / "train.360").mkdir()
    (folder / "clean" / "train.360" / "0000.parquet").write_bytes(b"not looked at")
    return folder


def corpus(source: Path | str, **changes: Any) -> LibriSpeechHub:
    cache_dir = str(Path(source).parent / "cache")
    return LibriSpeechHub(str(source), **{**SMALL, "cache_dir": cache_dir, **changes})


@pytest.mark.parametrize("streaming", [True, False])
def test_a_mirror_of_the_hub_is_read(mirror: Path, streaming: bool) -> None:
    data = corpus(mirror, streaming=streaming)
    assert texts(data) == {
        split: {f"{n}-{shard}-0000": ("it's so", str(n)) for shard in range(2)}
        for n, split in enumerate(FOLDERS, 1)
    }
    assert data.describe()["dropped"] == {"train": {}, "validation": {}, "test": {}}


def test_no_decoder_of_the_library_is_needed(mirror: Path) -> None:
    opened(corpus(mirror))
    assert "torchcodec" not in sys.modules


def test_audio_may_lie_beside_the_rows(mirror: Path) -> None:
    (mirror / "1-0-0000.flac").write_bytes(flac(7))
    write(mirror / "clean/train.100/0000.parquet", [row("1-0-0000", None)])
    assert list(texts(corpus(mirror))["train"]) == ["1-0-0000", "1-1-0000"]


def test_a_moved_mirror_is_the_same_and_a_changed_one_another(mirror: Path, tmp_path: Path) -> None:
    before = corpus(mirror).folder.name
    shutil.copytree(mirror, tmp_path / "elsewhere" / "copy")
    assert corpus(tmp_path / "elsewhere" / "copy").folder.name == before
    write(mirror / "clean/train.100/0001.parquet", [row("1-9-0000", flac(8))])
    assert corpus(mirror).folder.name != before
    assert corpus("a/b").folder.name != corpus("a/b", revision="v2").folder.name != before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": None}, r"1-0-0000 \(.*train, row 1\): no transcript"),
        ({"text": "ÉTÉ"}, "character outside the vocabulary: 'é'"),
        ({"audio": {"bytes": b"RIFF", "path": ""}}, "audio cannot be read: 1-0-0000: "),
        ({"audio": {"bytes": flac(0)[:2000], "path": ""}}, "audio cannot be read: 1-0-0000: "),
        ({"id": "1-1-0000"}, r"the id '1-1-0000' \(.*, train, row 1 and .*, train, row 2\)"),
        ({"audio": {"bytes": None, "path": None}}, r"row 1: its audio has neither bytes nor a"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(
    mirror: Path, changes: dict[str, Any], message: str
) -> None:
    write(mirror / "clean/train.100/0000.parquet", [row("1-0-0000", flac(0), **changes)])
    with pytest.raises(UserError, match=message):
        corpus(mirror).prepare_data()


def test_files_that_are_missing_or_damaged_are_named(mirror: Path) -> None:
    with pytest.raises(
        UserError, match=r"no file fits data\.test \(other/\*\): correct it or data"
    ):
        corpus(mirror, test=("other/*",)).prepare_data()
    (mirror / "clean/test/0000.parquet").write_bytes(b"no parquet")
    with pytest.raises(UserError, match=r"librispeech_asr, test: cannot be read \("):
        corpus(mirror).prepare_data()


def test_shards_of_different_columns_are_told(mirror: Path) -> None:
    write(mirror / "clean/train.100/0000.parquet", [row("1-0-0000", flac(0), speaker_id=None)])
    with pytest.raises(UserError, match=r"librispeech_asr, train: cannot be read \("):
        corpus(mirror).prepare_data()


def test_a_missing_column_is_named(mirror: Path) -> None:
    whole = row("1-0-0000", flac(0))
    del whole["text"]
    for shard in range(2):
        write(mirror / f"clean/train.100/{shard:04d}.parquet", [whole])
    with pytest.raises(UserError, match=r"train: has no column text \(but file, audio, "):
        corpus(mirror).prepare_data()


@pytest.mark.parametrize("streaming", [True, False])
def test_without_network_the_local_ways_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streaming: bool
) -> None:
    import datasets
    import huggingface_hub

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    data = corpus("openslr/librispeech_asr", cache_dir=str(tmp_path), streaming=streaming)
    with pytest.raises(UserError, match=r"librispeech_asr, train: cannot be read \(") as error:
        data.prepare_data()
    assert "name a folder with the data set's parquet files as data.source" in str(error.value)
    assert "mocha_lightning.data.LibriSpeech with" in str(error.value)
    assert "\n" not in str(error.value)


def test_real_recordings_come_as_they_do_from_files(
    mirror: Path, real_file: Callable[[str], Path]
) -> None:
    rows = []
    for number in range(2):
        name = f"2412-153948-{number:04d}"
        rows.append(row(name, real_file(f"librispeech/{name}.flac").read_bytes()))
    write(mirror / "clean/test/0000.parquet", rows)
    data = corpus(mirror, sample_rate=16000)
    samples = audio(data)
    for each in rows:
        expected, _ = soundfile.read(io.BytesIO(each["audio"]["bytes"]), dtype="int16")
        assert (samples[each["id"]] == expected).all()
