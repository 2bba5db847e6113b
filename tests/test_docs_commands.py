"""Every command and every file that the documentation prints is one that works.

Commands are parsed by the parsers that they are for and their files looked for; those of the pages
on a mechanism and on a corpus of one's own are run, too (test_docs_run.py).
"""

import json
import re
import shlex
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from printed import PAGES, ROOT, Block, Piece, all_blocks, blocks, pieces, prose, write_files
from test_makefile import make

from mocha_lightning.cli import dispatch
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.resolving import instantiate
from mocha_lightning.sweep.definition import load_sweep

LANGUAGES = {"sh", "yaml", "python", "text", "csv"}
OTHERS = {"arecord", "cat"}
"""Programs of the reader's machine."""
OWN = {"RUN", "talk.wav", "talk.flac", "article.txt", "mine.jsonl", "system.txt", "true.txt"} | {
    f"{name}.jsonl" for name in ("test", "outputs", "validation")
}
"""Files that only a reader has."""
MADE = {"where.png"}
"""Files that a command is told to write."""
RUNS = ("experiment", "experiments", "sweep", "run", "runs", "against", "checkpoint")
FILES = ("predictions", "references", "files")
"""Arguments of commands that name what must be there."""
OUR_PROGRAM = re.compile(r"(?:\.venv/bin/)?mocha-lightning$")


@pytest.mark.parametrize("block", all_blocks(), ids=str)
def test_a_block_is_of_a_language_that_is_looked_at_here(block: Block) -> None:
    assert block.language in LANGUAGES


# --- commands ------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", pieces(), ids=str)
def test_a_printed_command_can_be_given(
    piece: Piece, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program, *words = piece.words
    if OUR_PROGRAM.match(program):
        _check_own(piece, words, tmp_path, capsys)
    elif program == "make":
        _check_make(words, tmp_path)
    elif program == ".venv/bin/pip":
        _check_extras(words)
    elif program == ".venv/bin/python":
        assert (ROOT / words[0]).is_file()
    else:
        assert program in OTHERS


def _check_own(
    piece: Piece, words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *rest = words
    if command.startswith("--"):
        with pytest.raises(SystemExit, match="0"):
            dispatch.dispatch(words)
        return
    try:
        given = dispatch.COMMANDS[command].parser().parse_args(rest)
    except SystemExit:
        pytest.fail(capsys.readouterr().err)
    begun = {**_begun(), **_begun_on(piece, folder)}
    for option in RUNS + FILES:
        named = given.get(option) or []
        for place in [named] if isinstance(named, str) else named:
            _check_place(place, begun, folder)
    # compare's two variants, and those that a run is told to do.
    about = Path(given.get("experiment") or "").stem
    for variant in (given.get("a"), given.get("b"), *(given.get("variants") or ())):
        assert variant is None or variant in begun[about]


@cache
def _begun() -> dict[str, set[str]]:
    """Folders of runs that a reader may have, and what is in each."""
    found = {
        path.stem: set(yaml.safe_load(path.read_text()).get("variants") or ())
        for path in (ROOT / "experiments").glob("*.yaml")
    }
    for path in (ROOT / "reports" / "published").glob("*/results.json"):
        variants = json.loads(path.read_text()).get("variants", [])
        found[path.parent.name] = {row["variant"] for row in variants}
    sweeps = {path.stem: {"best.yaml"} for path in (ROOT / "sweeps").glob("*.yaml")}
    return {**found, **sweeps}


def _begun_on(piece: Piece, folder: Path) -> dict[str, set[str]]:
    """Those of experiments that its page prints and that a command before it runs."""
    written = write_files(piece.page, folder)
    found = {}
    for earlier in (*piece.earlier, piece.words):
        for file in set(earlier) & set(written):
            said = yaml.safe_load((folder / file).read_text())
            base = yaml.safe_load((folder / str(said.get("base", file))).read_text())
            found[Path(file).stem] = set(said.get("variants") or base.get("variants") or {})
    return found


def _check_place(place: str, begun: dict[str, set[str]], folder: Path) -> None:
    """What a command names is of the suite, of its page, left by a run or the reader's."""
    parts = Path(place).parts
    if place in ("-", "runs") or place in OWN or "*" in place:
        return
    if parts[0] == "runs":
        assert len(parts) == 2 or parts[2] in begun[parts[1]]
    elif "/" in place or Path(place).suffix:
        assert (ROOT / place).exists() or (folder / place).exists(), f"there is no {place}"
    else:
        assert place in begun


def _check_make(words: list[str], folder: Path) -> None:
    done = make("--dry-run", *words, f"VENV={folder / 'venv'}")
    assert (done.returncode, done.stderr) == (0, "")


def _check_extras(words: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"\.\[([\w,-]+)\]", " ".join(words))
    assert named
    assert {extra for each in named for extra in each.split(",")} <= set(
        project["optional-dependencies"]
    )
    assert (ROOT / words[words.index("-c") + 1]).is_file()


def spans(beginning: str) -> list[Any]:
    """Commands within the text, each once a page."""
    pattern = re.compile(rf"`((?:\.venv/bin/)?{beginning} [^`]+)`")
    return [
        pytest.param(found, id=f"{page.name}: {found}")
        for page in PAGES
        for found in dict.fromkeys(pattern.findall(prose(page)))
        if "..." not in found
    ]


@pytest.mark.parametrize("span", spans("make"))
def test_a_target_named_in_the_text_is_one(span: str, tmp_path: Path) -> None:
    _check_make(shlex.split(span)[1:], tmp_path)


@pytest.mark.parametrize("span", spans("mocha-lightning"))
def test_a_command_named_in_the_text_is_one_and_has_its_options(span: str) -> None:
    command, *words = span.split()[1:]
    if command in ("COMMAND", "--help"):
        return
    known = dispatch.COMMANDS[command].parser().format_help()
    for option in (word for word in words if word.startswith("--")):
        assert re.search(rf"^ +.*{option}\b", known, re.M)


@pytest.mark.parametrize(
    "span",
    [
        pytest.param(found, id=f"{page.name}: {found}")
        for page in PAGES
        for found in dict.fromkeys(
            re.findall(
                r"`(?:\.venv/bin/python )?((?:benchmarks|experiments|sweeps)/[\w./-]+)", prose(page)
            )
        )
    ],
)
def test_a_script_or_an_experiment_named_in_the_text_is_there(span: str) -> None:
    assert (ROOT / span).exists()


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_a_printed_file_loads_as_what_it_is(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    write_files(block.page, tmp_path)
    content = yaml.safe_load(block.text)
    if "space" in content:
        assert block.file is not None
        assert load_sweep(tmp_path / block.file).file.trials
        return
    if block.file is None:
        # A part of a file: it stands in one that has all the rest.
        whole = {"base": "experiments/demo.yaml", **content}
        (tmp_path / "whole.yaml").write_text(yaml.safe_dump(whole))
    experiment = load_experiment(tmp_path / (block.file or "whole.yaml"))
    for variant in experiment.variants:
        assert variant.config["data"]["class_path"]
    for name in content.get("variants", {}):
        assert name in [variant.name for variant in experiment.variants]
    if "data" in content:
        _, data = instantiate(experiment.variants[0].config)
        assert type(data).__name__ == content["data"]["class_path"].rpartition(".")[2]


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_printed_code_has_a_name_and_lines_of_the_house_s_length(block: Block) -> None:
    assert block.file is not None
    compile(block.text, block.file, "exec")
    assert max(map(len, block.text.splitlines())) <= 100
    assert len(block.text.splitlines()) <= 42


def test_what_stands_for_a_reader_s_files_is_used() -> None:
    said = {word for piece in pieces() for word in piece.words}
    assert said >= OWN | MADE
