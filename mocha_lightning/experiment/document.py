"""A YAML file whose every key knows its line, so that a mistake can be named by file and line."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import yaml

from mocha_lightning.errors import UserError

Keys = tuple[str | int, ...]
"""The way to a value: keys of mappings and places in lists."""


MAX_VALUES = 100_000
"""Of a document, its aliases written out; a few nested aliases can stand for billions."""

UNCLEAR = "!unclear"
NUMBERS = [
    ("tag:yaml.org,2002:int", re.compile(r"[-+]?(0|[1-9][0-9]*)$")),
    (
        "tag:yaml.org,2002:float",
        re.compile(
            r"([-+]?([0-9]+\.[0-9]*|\.[0-9]+|([0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+"
            r"|\.(inf|Inf|INF))|\.(nan|NaN|NAN))$"
        ),
    ),
]
"""What is read as a number."""


class _Loader(yaml.SafeLoader):
    """YAML with decimal numbers alone: ``4e-3`` is one, and no word.

    What else is a number or a date to YAML's version 1.1 (1:20 is 80, 050 is 40) is refused.
    """

    def refuse(self, node: yaml.ScalarNode) -> NoReturn:
        """Say that a value is not clear."""
        raise yaml.constructor.ConstructorError(
            None,
            None,
            f"{node.value} is one thing to some versions of YAML and another to others: write a "
            "decimal number, or put it in quotation marks",
            node.start_mark,
        )

    def construct_text(self, node: yaml.ScalarNode) -> str:
        """A text, unless it has half a character: no file could hold it."""
        text = str(self.construct_scalar(node))
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"{text!a} has half a character (\\ud800 to \\udfff): write a whole one",
                node.start_mark,
            ) from error
        return text


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """The forms of values by their first character; the first form that fits is taken."""
    resolvers = {}
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items():
        numbers = NUMBERS if first in "-+.0123456789" else []
        others = [
            (UNCLEAR if tag.endswith((":int", ":float", ":timestamp")) else tag, form)
            for tag, form in forms
        ]
        resolvers[first] = [*numbers, *others]
    return resolvers


_Loader.yaml_implicit_resolvers = _resolvers()
_Loader.add_constructor(UNCLEAR, _Loader.refuse)
_Loader.add_constructor("tag:yaml.org,2002:str", _Loader.construct_text)


class _Dumper(yaml.SafeDumper):
    """YAML without aliases: what two variants share is written out in both."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def yaml_of(content: Mapping[str, Any]) -> str:
    """A mapping as the text of a file, its keys in their order and every value written out."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


class Place(NamedTuple):
    """A line of a file."""

    path: Path
    line: int


@dataclass(frozen=True)
class Document:
    """A mapping read from a file (or more than one), and where its keys stand.

    ``files`` are the SHA-256 of all files that it was read from, by path.
    """

    path: Path
    data: dict[str, Any]
    places: dict[Keys, Place]
    files: dict[str, str]

    def where(self, keys: Keys = ()) -> str:
        """Name a value as ``file:line: a.b.c`` (the line of the nearest key that is there)."""
        known = keys
        while known not in self.places:
            known = known[:-1]
        path, line = self.places[known]
        return f"{path}:{line}: {dotted(keys)}" if keys else f"{path}:{line}"


def dotted(keys: Keys) -> str:
    """The keys as a user writes them in a variant: init_args is implied."""
    shown = [key for key in keys[:-1] if key != "init_args"]
    return ".".join(map(str, (*shown, *keys[-1:])))


def parse_value(text: str) -> Any:
    """A value given on the command line, typed as YAML types it.

    Raises:
        ValueError: the text is not YAML.
    """
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


def read_document(path: Path) -> Document:
    """Read a YAML file that holds one mapping.

    Raises:
        UserError: the file cannot be read, is not YAML, holds no mapping, names a key twice, has
            a key that is not text, contains itself or has too many values.
    """
    try:
        content = path.read_bytes()
        text = content.decode("utf-8")
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}: give the path of one that can be read"
        ) from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is no text in UTF-8: give an experiment file") from error
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if not isinstance(root, yaml.MappingNode):
            raise UserError(f"{path}:1: holds no mapping: an experiment has keys such as task")
        _check(path, root, (), count())
        data = loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f":{mark.line + 1}" if mark else ""
        problem = " ".join(f"{error.context or ''} {error.problem or ''}".split())
        raise UserError(f"{path}{line}: not YAML: {problem}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise UserError(f"{path}: is nested too deeply: write it out flat") from error
    # Lines are read after construction: by then merged keys (<<) are in their places.
    lines = {(): 1, **dict(_lines(root, ()))}
    places = {keys: Place(path, line) for keys, line in lines.items()}
    return Document(path, data, places, {str(path): hashlib.sha256(content).hexdigest()})


def _check(
    path: Path, node: yaml.Node, above: tuple[yaml.Node, ...], counter: Iterator[int]
) -> None:
    """Refuse what YAML itself lets pass: a key twice, a key that is no text, a circle, a bomb."""
    line = node.start_mark.line + 1
    if next(counter) >= MAX_VALUES:
        raise UserError(
            f"{path}: has more than {MAX_VALUES:,} values, its aliases written out: use fewer"
        )
    if node in above:
        raise UserError(f"{path}:{line}: contains itself: write it out without the alias")
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check(path, item, (*above, node), counter)
    if isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                raise UserError(
                    f"{path}:{line}: the key {key.value} is not text: put it in quotation marks"
                )
            if key.value in first:
                raise UserError(
                    f"{path}:{line}: the key {key.value} is there twice (first in line "
                    f"{first[key.value]}): remove one"
                )
            first[key.value] = line
            _check(path, value, (*above, node), counter)


def _lines(node: yaml.Node, keys: Keys) -> Iterator[tuple[Keys, int]]:
    children: list[tuple[str | int, yaml.Node, yaml.Node]] = []
    if isinstance(node, yaml.MappingNode):
        children = [(key.value, key, value) for key, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        children = [(place, value, value) for place, value in enumerate(node.value)]
    for name, marked, value in children:
        yield (*keys, name), marked.start_mark.line + 1
        yield from _lines(value, (*keys, name))
