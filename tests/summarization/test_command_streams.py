"""``summarize`` of what is still being written."""

import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from commands import Command

from mocha_lightning.summarizer.text import text_of

from .commanding import give_on_standard_input, words_of
from .runs import VOCABULARY, run_of


@pytest.mark.parametrize("seed", range(6))
def test_a_stream_has_the_greedy_summary_of_the_whole_however_it_is_cut(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int
) -> None:
    draw = random.Random(seed)
    running = seed % 2 == 1
    run_of(tmp_path / "other", "MoChA", running=running, seed=seed, unidirectional=True)
    words = draw.choices((*VOCABULARY.words, "Gnu", "zébra", "\u2026"), k=draw.randrange(2, 45))
    text = "".join(word + draw.choice((" ", " ", "\n", "\r\n")) for word in words)
    content = text.encode()
    outputs = set()
    for _ in range(4):
        cuts = draw.sample(range(1, len(content)), k=draw.randrange(min(30, len(content))))
        places = [0, *sorted(cuts), len(content)]
        give_on_standard_input(monkeypatch, [content[a:b] for a, b in pairwise(places)])
        outputs.add(command("--stream", "-", run="other").out)
    monkeypatch.undo()
    assert outputs == {text_of(words_of(str(tmp_path / "other"), text, 1, running)) + "\n"}


def test_words_are_told_while_the_document_is_read(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first are there before more is asked for."""
    first, rest = b"the cat saw the dog and the gnu ran ", b"and sat .\n"
    told = []

    def pieces() -> Iterator[bytes]:
        yield first
        told.append(capsys.readouterr().out)
        yield rest

    give_on_standard_input(monkeypatch, pieces())
    ended = command("--stream", "-", "--json")
    assert ended.code == 0
    early = [json.loads(line) for line in told[0].splitlines()]
    *late, final = map(json.loads, ended.out.splitlines())
    assert early
    assert all(event["read"] <= 9 for event in early)
    assert [event["word"] for event in (*early, *late)] == final["words"]
    assert final["words"] == words_of("run", (first + rest).decode(), 1)


def test_broken_text_ends_a_stream_with_a_line(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for content, said in ((b"\xff", "is not UTF-8 (byte 0xff in line 1)"), (b" \n", "has no word")):
        give_on_standard_input(monkeypatch, [content])
        ended = command("--stream", "-")
        assert ended.code == 2
        assert ended.err.splitlines()[1].startswith(f"error: standard input: {said}")


@pytest.mark.parametrize(
    ("mechanism", "task", "said"),
    [
        ("SoftAttention", {"unidirectional": True}, "SoftAttention has no monotonic head"),
        ("MoChA", {}, "its encoder is bidirectional (task.unidirectional is false)"),
        (
            "MoChA",
            {"unidirectional": True, "initial_state": "encoder"},
            "its decoder begins with the encoder's last state (task.initial_state)",
        ),
    ],
)
def test_a_stream_that_needs_the_whole_is_refused(
    command: Command, tmp_path: Path, mechanism: str, task: dict[str, object], said: str
) -> None:
    run_of(tmp_path / "other", mechanism, **task)
    ended = command("--stream", "-", run="other")
    assert ended.code == 2
    assert ended.err.startswith(f"error: {said}")
    assert ended.err.count("\n") == 1
