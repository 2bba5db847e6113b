"""What all corpora of documents share, shown on one that a test writes."""

import inspect
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
from jsonargparse import ArgumentParser

from mocha_lightning.data import (
    BotocoreDocumentation,
    CnnDailyMail,
    DebianDescriptions,
    DocumentBatch,
    DocumentFile,
    Documents,
    KeyFacts,
    Text,
)
from mocha_lightning.errors import UserError

from .texts import PLAIN, Written, opened, pairs


def training_batches(data: Documents, count: int) -> list[DocumentBatch]:
    return list(islice(data.train_dataloader(), count))


def changed(name: str, **changes: Any) -> tuple[Text, ...]:
    return tuple(replace(text, **changes) if text.id == name else text for text in PLAIN)


def test_known_words_come_by_falling_training_frequency_then_by_alphabet(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for text in PLAIN:
        if text.split == "train":
            counts.update(f"{text.document} {text.summary}".split())
    expected = sorted(counts, key=lambda word: (-counts[word], word))
    data = opened(Written(tmp_path))
    assert list(data.spec.vocabulary.words) == expected
    assert expected[:3] == [".", "the", "cat"]
    smaller = opened(Written(tmp_path, vocabulary_size=4))
    assert list(smaller.spec.vocabulary.words) == expected[:4]
    assert smaller.folder == data.folder


def test_a_batch_holds_numbers_extended_by_each_documents_unknown_words(tmp_path: Path) -> None:
    data = opened(Written(tmp_path, vocabulary_size=3))  # . the cat
    split = data.splits["train"]
    batch = next(iter(data._loader(split, [[1, 2]])))
    size = len(data.spec.vocabulary)
    assert size == 7
    dog, saw, zebra, and_, gnu = range(size, size + 5)
    assert batch.unknown == (("dog", "saw", "zebra", "and", "gnu"), ("ran",))
    assert batch.extended_source.tolist() == [
        [5, dog, saw, zebra, and_, gnu, and_, zebra, 4],
        [5, 6, size, 4, 0, 0, 0, 0, 0],
    ]
    assert batch.source.tolist() == [[5, 1, 1, 1, 1, 1, 1, 1, 4], [5, 6, 1, 4, 0, 0, 0, 0, 0]]
    assert batch.source_lengths.tolist() == [9, 4]
    assert batch.target.tolist() == [[zebra, dog, 1, 4, 3], [5, 6, size, 4, 3]]
    assert batch.target_lengths.tolist() == [5, 5]
    assert {each.dtype for each in batch[:5]} == {torch.int64}
    example = batch.examples[1]
    assert (example.id, example.document, example.summary) == (
        "c",
        "the cat ran .",
        "the cat ran .",
    )
    assert example.details == {"order": "normal", "lead": "the cat ran ."}


def test_lightning_moves_a_batch_to_a_device_as_it_is(tmp_path: Path) -> None:
    (batch,) = training_batches(opened(Written(tmp_path)), 1)
    moved = pl.LightningModule().transfer_batch_to_device(batch, torch.device("cpu"), 0)
    assert moved.examples == batch.examples
    assert torch.equal(moved.extended_source, batch.extended_source)


def test_documents_and_summaries_are_cut_and_examples_are_whole(tmp_path: Path) -> None:
    data = opened(Written(tmp_path, source_words=3, target_words=2))
    batch = next(iter(data._loader(data.splits["train"], [[0, 1]])))
    assert batch.source_lengths.tolist() == [3, 3]
    vocabulary = data.spec.vocabulary
    assert vocabulary.decode(batch.target[1].tolist(), batch.unknown[1]) == ["zebra", "dog"]
    assert batch.target_lengths.tolist() == [3, 3]
    assert batch.examples[0].document == "the cat sat .\nthe dog ran ."
    assert batch.examples[1].summary == "zebra dog okapi ."


def test_the_lead_is_the_first_sentences(tmp_path: Path) -> None:
    def lead(count: int) -> str:
        data = opened(Written(tmp_path, lead_sentences=count))
        found: str = data.splits["train"][0].example.details["lead"]
        return found

    assert [lead(1), lead(2), lead(9)] == ["the cat sat .", *2 * ["the cat sat .\nthe dog ran ."]]


def test_evaluation_sees_every_document_once(tmp_path: Path) -> None:
    data = opened(Written(tmp_path))
    for loader, expected in ((data.val_dataloader(), "def"), (data.test_dataloader(), "gh")):
        assert sorted(example.id for batch in loader for example in batch.examples) == [*expected]


def test_a_batch_depends_on_the_seed_and_its_number_alone(tmp_path: Path) -> None:
    texts = [Text(f"t{n}", "train", "a " * (1 + n % 7), "b") for n in range(12)]
    data = opened(Written(tmp_path, [*texts, *PLAIN[3:]]))

    def ids(count: int) -> list[list[str]]:
        return [[each.id for each in batch.examples] for batch in training_batches(data, count)]

    uninterrupted = ids(15)
    data.trainer = SimpleNamespace(global_step=9)  # type: ignore[assignment]
    assert ids(6) == uninterrupted[9:]
    data.trainer = None
    data.seed = 1
    assert ids(15) != uninterrupted


def test_the_showcase_is_the_validation_document_of_middle_length(tmp_path: Path) -> None:
    assert [example.id for example in opened(Written(tmp_path)).showcase().examples] == ["d"]


def test_the_description_counts(tmp_path: Path) -> None:
    data = opened(Written(tmp_path, vocabulary_size=3, source_words=7, target_words=3))
    facts = json.loads(json.dumps(data.describe()))
    assert (facts["documents"], facts["vocabulary"]) == ("sentences", 3)
    assert facts["tokenizer"] == "white space; lower case"
    train = facts["splits"]["train"]
    assert train == {
        "documents": 3,
        "mean_document_words": 7.0,
        "max_document_words": 9,
        "mean_summary_words": 3.7,
        "share_of_documents_cut": 0.6667,
        "share_of_summaries_cut": 0.6667,
        "share_of_summary_words_in_document": round(10 / 11, 4),
        "documents_of_unknown_words_alone": 0,
        "share_of_words_known": round((5 + 3 + 2 + 1 + 3 + 3) / (8 + 3 + 9 + 4 + 4 + 4), 4),
    }
    # "dog", of which the three known words say nothing
    assert facts["splits"]["validation"]["documents_of_unknown_words_alone"] == 1
    assert facts["dropped"] == {"train": {}, "validation": {}, "test": {}}


UNUSABLE = [
    ({"document": " \n"}, "empty document", "there is no word in it"),
    ({"summary": "\t"}, "empty summary", "there is no word in it"),
    ({"document": None}, "no document", "there is none"),
    ({"summary": None}, "no summary", "there is none"),
    ({"document": "the caf\udce9"}, "not UTF-8", "its document has a byte .* after 'the caf'"),
    ({"summary": "\udcff"}, "not UTF-8", "its summary has a byte"),
    ({"document": "a \ud83d b"}, "not UTF-8", "its document has half a character .* after 'a '"),
    ({"problem": "is not JSON"}, "cannot be read", "is not JSON"),
]


@pytest.mark.parametrize(("changes", "reason", "found"), UNUSABLE)
def test_what_cannot_be_used_stops_the_preparation(
    tmp_path: Path, changes: dict[str, Any], reason: str, found: str
) -> None:
    data = Written(tmp_path, changed("b", place="x.jsonl, line 2", **changes))
    message = rf"written: one document cannot be used: b \(x\.jsonl, line 2\): {reason}: {found}"
    with pytest.raises(UserError, match=message) as error:
        data.prepare_data()
    assert "\n" not in str(error.value)
    assert str(error.value).encode()
    assert not data.folder.exists()


@pytest.mark.parametrize(("changes", "reason", "found"), UNUSABLE)
def test_what_cannot_be_used_is_left_out_and_listed_where_that_is_asked(
    tmp_path: Path,
    changes: dict[str, Any],
    reason: str,
    found: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = opened(Written(tmp_path, changed("b", **changes), on_unusable="drop"))
    assert list(pairs(data)["train"]) == ["a", "c"]
    assert data.describe()["dropped"]["train"] == {reason: 1}
    (line,) = (data.folder / "dropped.jsonl").read_text().splitlines()
    told = json.loads(line)
    assert (told["document"], told["split"], told["reason"]) == ("b", "train", reason)
    assert f"Left out of train: 1 ({reason}); see dropped.jsonl" in capsys.readouterr().err


def test_a_document_of_a_hundred_thousand_words_is_used_or_left_out_as_asked(
    tmp_path: Path,
) -> None:
    texts = changed("b", document="word " * 100_000)
    data = opened(Written(tmp_path, texts))
    assert data.describe()["splits"]["train"]["max_document_words"] == 100_000
    assert training_batches(data, 1)[0].source.shape[1] <= 400
    limited = opened(Written(tmp_path, texts, max_document_words=99_999))
    assert list(pairs(limited)["train"]) == ["a", "c"]
    assert limited.describe()["dropped"]["train"] == {"too long": 1}


def test_some_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    texts = [Text(f"t{n:02d}", "train", None, "x") for n in range(13)]
    with pytest.raises(UserError, match=r"(?s)13 documents .* t02: .*and 10 more") as error:
        Written(tmp_path, texts).prepare_data()
    assert "t03" not in str(error.value)


def test_a_split_of_which_nothing_is_left_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"falls to test: add documents"):
        Written(tmp_path, PLAIN[:6]).prepare_data()
    with pytest.raises(UserError, match=r"falls to train; the first left out: a: too long: 8 wo"):
        Written(tmp_path, max_document_words=1).prepare_data()


def test_two_documents_of_a_split_with_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"have the id 'a' \(train and list, line 7\)"):
        Written(tmp_path, changed("c", id="a", place="list, line 7")).prepare_data()
    assert list(pairs(Written(tmp_path, changed("g", id="a")))["test"]) == ["a", "h"]


@pytest.mark.parametrize("name", ["documents.jsonl", "index.npy", "words.tsv", "corpus.json"])
def test_damage_is_told(tmp_path: Path, name: str) -> None:
    path = opened(Written(tmp_path)).folder / name
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)
    data = Written(tmp_path)
    if name == "corpus.json":
        path.write_bytes(content[:40])
    with pytest.raises(UserError, match=r"damaged .*: delete that folder"):
        data.setup()


def test_what_changes_while_it_is_read_is_not_kept(tmp_path: Path) -> None:
    class Changing(Written):
        number = 0

        def identity(self) -> dict[str, Any]:
            return {"number": self.number}

        def texts(self) -> Iterator[Text]:
            yield from super().texts()
            self.number += 1

    data = Changing(tmp_path)
    with pytest.raises(UserError, match="what it is made of has changed while it was read: prep"):
        data.prepare_data()
    assert not data.prepared


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    first = opened(Written(tmp_path / "1")).sha256
    assert opened(Written(tmp_path / "2", batch_size=1, vocabulary_size=2)).sha256 == first
    assert opened(Written(tmp_path / "3", changed("h", summary="the ."))).sha256 != first


def test_what_is_not_prepared_is_told(tmp_path: Path) -> None:
    data = Written(tmp_path)
    assert not data.prepared
    with pytest.raises(UserError, match=r"not there: call prepare_data"):
        data.setup()
    data.prepare_data()
    assert data.prepared


def test_until_it_is_prepared_the_vocabulary_is_presumed_to_be_as_large_as_asked(
    tmp_path: Path,
) -> None:
    data = Written(tmp_path, vocabulary_size=1_000)
    assert len(data.spec.vocabulary) == 1_004
    assert data.presumption.startswith("a vocabulary of 1,000 words (data.vocabulary_size) is pr")
    data.prepare_data()
    assert not data.presumption
    assert 4 < len(data.spec.vocabulary) < 100


def test_a_batch_must_be_filled(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"data\.batch_size is 4 .* has 3 documents: lower it"):
        opened(Written(tmp_path, batch_size=4))


@pytest.mark.parametrize(
    "key",
    [
        *("source_words", "target_words", "lead_sentences"),
        *("vocabulary_size", "batch_size", "max_document_words"),
    ],
)
def test_numbers_out_of_range_are_named(tmp_path: Path, key: str) -> None:
    with pytest.raises(UserError, match=rf"data\.{key} is 0: it must be (from 1 to|at least 1)"):
        Written(tmp_path, **{key: 0})


def test_highlights_are_lines_with_full_stops(tmp_path: Path) -> None:
    texts = changed("a", summary="One . Two\n\nthree !\n")
    assert pairs(Written(tmp_path, texts, highlights=True))["train"]["a"][1] == (
        "one . two .\nthree !"
    )
    assert pairs(Written(tmp_path, texts))["train"]["a"][1] == "one .\ntwo\nthree !"


CORPORA = [BotocoreDocumentation, CnnDailyMail, DebianDescriptions, DocumentFile, KeyFacts]


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_argument_is_told_by_help(corpus: type[Documents]) -> None:
    parser = ArgumentParser()
    parser.add_class_arguments(corpus)
    parameters = inspect.signature(corpus).parameters
    for action in parser._actions:
        if action.dest in parameters:
            assert action.help, action.dest
    assert set(corpus.places) <= set(parameters)
    if corpus is not KeyFacts:
        numbers = {name: parameters[name].default for name in ("source_words", "target_words")}
        assert numbers == {"source_words": 400, "target_words": 100}
    if corpus in (CnnDailyMail, DocumentFile):
        assert parameters["vocabulary_size"].default == 50_000
