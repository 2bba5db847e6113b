"""CNN/Daily Mail from files as the hub has them, and the real ones where they are."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mocha_lightning.data import CnnDailyMail
from mocha_lightning.errors import UserError

from .texts import opened, pairs

SPLITS = ("train", "validation", "test")


def row(name: str, **changes: str | None) -> dict[str, Any]:
    article = "LONDON (CNN) -- It rained. Nobody went out. The sun came. All was well."
    return {"article": article, "highlights": "It rained\nThe sun came .", "id": name, **changes}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.table({key: [each[key] for each in rows] for key in rows[0]}), path)
    else:
        path.write_text("".join(json.dumps(each) + "\n" for each in rows))


def corpus(source: Path | str, cache: Path, **changes: Any) -> CnnDailyMail:
    return CnnDailyMail(str(source), cache_dir=str(cache), batch_size=1, **changes)


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "mirror"
    for split in SPLITS:
        for shard in range(2):
            path = folder / "3.0.0" / f"{split}-{shard:05d}-of-00002.parquet"
            write(path, [row(f"{split}{shard}")])
    return folder


def test_a_mirror_of_the_hub_is_read(mirror: Path, tmp_path: Path) -> None:
    data = corpus(mirror, tmp_path)
    assert {split: list(each) for split, each in pairs(data).items()} == {
        split: [f"{split}0", f"{split}1"] for split in SPLITS
    }
    example = data.splits["test"][0].example
    assert example.document.split("\n")[0] == "london -lrb- cnn -rrb- -- it rained ."
    assert example.summary == "it rained .\nthe sun came ."
    assert example.details["lead"].split("\n") == example.document.split("\n")[:3]


def test_files_named_by_their_split_alone_are_read(tmp_path: Path) -> None:
    for name in ("train.jsonl", "val.jsonl", "test.jsonl", "testing_outputs.jsonl"):
        write(tmp_path / name, [row(name)])
    assert list(pairs(corpus(tmp_path, tmp_path))["test"]) == ["test.jsonl"]


def test_empty_articles_are_left_out_and_counted(mirror: Path, tmp_path: Path) -> None:
    write(mirror / "3.0.0" / "train-00001-of-00002.parquet", [row("train1", article="")])
    data = opened(corpus(mirror, tmp_path))
    assert data.describe()["dropped"]["train"] == {"empty document": 1}
    with pytest.raises(UserError, match=r"train1 \(.*row 1\): empty document"):
        corpus(mirror, tmp_path, on_unusable="stop").prepare_data()


def test_a_missing_split_is_named(mirror: Path, tmp_path: Path) -> None:
    for path in mirror.glob("*/validation-*"):
        path.unlink()
    with pytest.raises(UserError, match=r"holds no file of the validation split \(validation\.js"):
        corpus(mirror, tmp_path).prepare_data()


@pytest.mark.parametrize("streaming", [True, False])
def test_without_network_the_local_way_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streaming: bool
) -> None:
    import datasets
    import huggingface_hub

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    data = corpus("abisee/cnn_dailymail", tmp_path, streaming=streaming)
    with pytest.raises(UserError, match=r"cnn_dailymail, train: cannot be read \(") as error:
        data.prepare_data()
    assert "name a folder with the data set's files (train.jsonl or" in str(error.value)
    assert "\n" not in str(error.value)


def test_rows_of_the_library_are_read(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hub itself cannot be asked in a test; the library reads a mirror as it reads the hub."""
    import datasets

    real, asked = datasets.load_dataset, []

    def from_mirror(source: str, configuration: str, **arguments: Any) -> Any:
        asked.append((source, configuration, arguments.pop("revision")))
        return real(str(mirror / configuration), **arguments)

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(datasets, "load_dataset", from_mirror)
    texts = pairs(corpus("abisee/cnn_dailymail", tmp_path / "1"))
    assert texts == pairs(corpus(mirror, tmp_path / "2"))
    assert asked[0] == ("abisee/cnn_dailymail", "3.0.0", "main")


def test_the_real_articles(real_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = real_folder("cnn_dailymail")
    data = CnnDailyMail(str(folder), tokenised=True, cache_dir=str(tmp_path), batch_size=8)
    data.jobs = 1
    facts = opened(data).describe()
    assert {name: each["documents"] for name, each in facts["splits"].items()} == {
        "train": 500,
        "validation": 100,
        "test": 100,
    }
    test = facts["splits"]["test"]
    # The whole test split has 708 words an article and 53 a summary, 88 % of them in the article.
    assert 600 < test["mean_document_words"] < 800
    assert 40 < test["mean_summary_words"] < 65
    assert 0.8 < test["share_of_summary_words_in_document"] < 0.95
    batch = next(iter(data.train_dataloader()))
    assert batch.source.shape[1] <= 400
    rows = [json.loads(line) for line in (folder / "test.jsonl").read_text().splitlines()]
    (first,) = (
        example
        for batch in data.test_dataloader()
        for example in batch.examples
        if example.id == rows[0]["id"]
    )
    assert first.document.split() == rows[0]["article"].lower().split()
    assert first.summary == rows[0]["highlights"].lower()
