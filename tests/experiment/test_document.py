"""YAML whose keys know their lines."""

import math
from pathlib import Path

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.document import Document, parse_value, read_document


def read(tmp_path: Path, text: str) -> Document:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    return read_document(path)


def test_keys_know_their_lines(tmp_path: Path) -> None:
    document = read(tmp_path, "a:\n  b: 1\n  c:\n    - 2\n    - d: 3\n")
    assert document.where(("a", "b")) == f"{document.path}:2: a.b"
    assert document.where(("a", "c", 1, "d")) == f"{document.path}:5: a.c.1.d"


def test_a_key_that_is_not_there_has_the_line_of_the_one_above(tmp_path: Path) -> None:
    document = read(tmp_path, "a: 1\nb:\n  c: 2\n")
    assert document.where(("b", "x", "y")) == f"{document.path}:2: b.x.y"


def test_init_args_are_implied_in_names(tmp_path: Path) -> None:
    document = read(tmp_path, "task: {init_args: {a: 1}}\n")
    assert document.where(("task", "init_args", "a")).endswith(": task.a")


def test_merged_keys_are_in_their_places_with_the_line_they_come_from(tmp_path: Path) -> None:
    document = read(tmp_path, "a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n")
    assert document.data["c"] == {"b": 1, "d": 2}
    assert document.places["c", "b"].line == 1
    assert document.places["c", "d"].line == 4


@pytest.mark.parametrize("text", ["4e-3", "4.0e-3", "+4e-3", ".4E-2"])
def test_numbers_with_an_exponent_are_numbers(text: str) -> None:
    assert parse_value(text) == 0.004


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("20", 20), ("-3", -3), ("0", 0), ("1.5", 1.5), ("-.5", -0.5), ("1.", 1.0)],
        *[("1e3", 1000.0), (".inf", math.inf), ("-.inf", -math.inf)],
    ],
)
def test_decimal_numbers_are_numbers(text: str, value: float) -> None:
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


@pytest.mark.parametrize("text", ["1:20", "1:20.5", "050", "1_000", "0x1F", "0b1", "2020-01-01"])
def test_what_version_1_1_takes_for_another_number_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError) as caught:
        read(tmp_path, f"a: 1\nb: {text}\n")
    assert f"x.yaml:2: not YAML: {text} is one thing to some versions" in str(caught.value)
    with pytest.raises(ValueError, match="is one thing to some versions"):
        parse_value(text)
    assert parse_value(f"'{text}'") == text


def test_aliases_that_stand_for_billions_of_values_are_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 9)
    ]
    with pytest.raises(UserError) as caught:
        read(tmp_path, "\n".join(lines))
    assert str(caught.value) == (
        f"{tmp_path}/x.yaml: has more than 100,000 values, its aliases written out: use fewer"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2\na: 3\n", ":3: the key a is there twice (first in line 1)"),
        ("v:\n  a: 1\n  a: 1\n", ":3: the key a is there twice (first in line 2)"),
        ("v:\n  8: x\n", ":2: the key 8 is not text: put it in quotation marks"),
        ("v:\n  yes: x\n", ":2: the key yes is not text"),
        ("a: &a\n  b: *a\n", ":1: contains itself"),
        ("a: [1, 2\nb: 3\n", ":2: not YAML: while parsing a flow sequence"),
        ("a: *b\n", ":1: not YAML: found undefined alias"),
        ("a: !python/object:os.system {}\n", ":1: not YAML: could not determine a constructor"),
        ('a:\n- "\\ud83d"\n', r":2: not YAML: '\ud83d' has half a character"),
        ("- 1\n", ":1: holds no mapping"),
        ("", ":1: holds no mapping"),
    ],
)
def test_what_yaml_lets_pass_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read(tmp_path, text)
    assert f"x.yaml{said}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.yaml: No such file"):
        read_document(tmp_path / "none.yaml")


def test_a_file_that_is_no_text_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="no text in UTF-8"):
        read_document(path)
