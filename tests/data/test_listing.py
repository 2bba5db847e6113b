"""Lists of recordings in files that users write."""

import gzip
from pathlib import Path

import pytest

from mocha_lightning.data import listing
from mocha_lightning.errors import UserError


def test_lines_are_numbered_and_blank_ones_left_out(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes("\ufeffone\r\n\r\n  \ntwo é\nthree".encode())
    assert list(listing.lines(path)) == [(1, "one"), (4, "two é"), (5, "three")]


def test_a_gz_file_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))
    assert list(listing.lines(path)) == [(1, "one"), (2, "two")]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UserError, match=r"list\.jsonl\.gz: cannot be read \("):
        list(listing.lines(path))
    path.write_bytes(b"one\n")
    with pytest.raises(UserError, match=r"list\.jsonl\.gz: cannot be read \(Not a gzipped file"):
        list(listing.lines(path))


def test_what_is_no_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"one\n" + "zwölf\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"list\.txt, line 2: is not UTF-8 .* save the file as"):
        list(listing.lines(path))
    path.write_bytes("one\n".encode("utf-16"))
    with pytest.raises(UserError, match=r"list\.txt, line 1: is not UTF-8"):
        list(listing.lines(path))


def test_a_missing_list_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.csv: cannot be read \(No such file"):
        list(listing.lines(tmp_path / "none.csv"))
    with pytest.raises(UserError, match=r"cannot be read \(Is a directory"):
        list(listing.lines(tmp_path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"line 2: is not JSON \("),
        ("[" * 100_000, r"line 2: is not JSON \("),
        ("[1]", "line 2: is no JSON object"),
    ],
)
def test_a_line_that_is_no_json_object_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "list.jsonl"
    path.write_text(f'{{"a": 1}}\n{line}\n')
    with pytest.raises(UserError, match=message):
        list(listing.json_entries(path))


@pytest.mark.parametrize(
    "value",
    ["1.5", True, -1, float("nan"), float("inf"), [1], 1e300, 10**400],
    ids=lambda value: str(value)[:9],
)
def test_a_time_is_a_number_from_0_on(value: object) -> None:
    with pytest.raises(UserError, match=r"list, line 1: offset is .*: write seconds"):
        listing.Entry({"offset": value}, "list, line 1", Path()).seconds("offset")


@pytest.mark.parametrize("value", ["a\0b.wav", "\ud800.wav"])
def test_what_no_file_can_be_called_is_named(value: str) -> None:
    with pytest.raises(UserError, match=r"list, line 1: audio is .*, which no file can be called"):
        listing.Entry({"audio": value}, "list, line 1", Path()).path("audio")


def test_a_gz_file_that_is_damaged_inside_is_named(tmp_path: Path) -> None:
    path = tmp_path / "list.gz"
    content = bytearray(gzip.compress(bytes(range(256)) * 8))
    content[12:40] = bytes(28)
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"list\.gz: cannot be read|list\.gz, line"):
        list(listing.lines(path))


def test_one_file_or_three() -> None:
    assert listing.SplitFiles("manifest", "all", None, None, None).paths() == [(Path("all"), None)]
    three = listing.SplitFiles("manifest", None, "a", "b", "c").paths(Path("x"))
    assert three == [
        (Path("x/a"), "train"),
        (Path("x/b"), "validation"),
        (Path("x/c"), "test"),
    ]
    for given in ((None, None, None, None), (None, "a", "b", None), ("all", "a", None, None)):
        with pytest.raises(UserError, match=r"data\.manifest, .* give either the first"):
            listing.SplitFiles("manifest", *given)


def test_a_transcript_has_single_spaces_and_composed_letters() -> None:
    assert listing.transcript(" Cafe\u0301  AU\tlait ", lower_case=True) == "caf\u00e9 au lait"
    assert listing.transcript("AU", lower_case=False) == "AU"
    assert listing.transcript(None, lower_case=True) is None


def test_a_vocabulary_of_characters_has_the_space() -> None:
    assert listing.vocabulary(" ab").symbols == (" ", "a", "b")
    for characters in ("ab", " aa"):
        with pytest.raises(UserError, match=r"data\.characters is .* each character once, and the"):
            listing.vocabulary(characters)
