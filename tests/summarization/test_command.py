"""The command ``summarize``."""

import json
from pathlib import Path

import pytest
import torch
from commands import Command

from mocha_lightning.data.tokenizing import TreebankTokenizer
from mocha_lightning.summarization.documents import text_document
from mocha_lightning.summarization.trained import load_summarization
from mocha_lightning.summarizer.text import text_of

from .commanding import TEXTS, change, give_on_standard_input, words_of
from .runs import SOURCE_WORDS, VOCABULARY, run_of


def test_a_summary_is_the_runs_own_search_in_the_words_of_the_corpus(command: Command) -> None:
    ended = command("a.txt")
    assert ended.code == 0
    assert ended.out == text_of(words_of("run", TEXTS["a.txt"])) + "\n"
    assert ended.err.startswith(
        "MoChA, search:beam-3|threshold:3|most:12, which reads the first 30 words of a document, "
        "cut by white space; lower case, from run\n"
    )
    greedy = command("a.txt", "--beam", "1")
    assert greedy.out == text_of(words_of("run", TEXTS["a.txt"], 1)) + "\n"
    assert "search:greedy" in greedy.err


def test_running_text_is_cut_as_the_corpus_was(command: Command, tmp_path: Path) -> None:
    run_of(tmp_path / "running", "MoChA", running=True, seed=1)
    text = "The cat sat. The \u201cGnu\u201d didn't see the dog.\n"
    Path("c.txt").write_text(text, encoding="utf-8-sig")
    ended = command("c.txt", "--json", run="running")
    found = json.loads(ended.out)
    assert found["words"] == words_of("running", text, running=True)
    assert found["document_words"] == 14


def test_several_documents_are_told_apart_and_what_is_none_stops_no_other(
    command: Command, tmp_path: Path
) -> None:
    Path("empty.txt").touch()
    Path("blank.txt").write_text(" \n\t\n")
    Path("folder.txt").mkdir()
    Path("latin.txt").write_bytes(b"the cat\nsat caf\xe9 .")
    Path("half.txt").write_bytes(b"the cat \xc3")
    bad = ("empty.txt", "blank.txt", "folder.txt", "latin.txt", "half.txt", "none.txt", "a\0b")
    ended = command("a.txt", *bad, "b.txt")
    assert ended.code == 2
    expected = [
        f"{name}: {line}"
        for name, text in TEXTS.items()
        for line in text_of(words_of("run", text)).split("\n")
    ]
    assert ended.out.splitlines() == [line.rstrip() for line in expected]
    errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    said = (
        *("has no word", "has no word", "is a folder", "is not UTF-8 (byte 0xe9 in line 2)"),
        *("is not UTF-8 (byte 0xc3 in line 1)", "cannot be read (No such file", "cannot be read"),
    )
    for name, line, part in zip(bad, errors, said, strict=True):
        assert line.startswith(f"error: {name}: {part}")


def test_a_long_document_is_cut_and_one_of_unknown_words_can_be_copied(command: Command) -> None:
    Path("long.txt").write_text(("the cat saw the gnu and ran . " * 12_500).strip())
    Path("odd.txt").write_text("gnu zebra okapi")
    ended = command("long.txt", "odd.txt", "--json")
    assert ended.code == 0
    long, odd = map(json.loads, ended.out.splitlines())
    assert (long["document_words"], long["words_read"]) == (100_000, SOURCE_WORDS)
    assert long["words"] == words_of("run", "the cat saw the gnu and ran . " * 4)
    assert odd["words"] == words_of("run", "gnu zebra okapi")
    assert odd["summary"] == text_of(odd["words"])
    lost = "head had passed the document's end"
    assert [line for line in ended.err.splitlines()[1:] if lost not in line] == [
        "long.txt: cut: the first 30 of its 100,000 words are read",
        "odd.txt: none of the words that are read is in the vocabulary (words are cut by "
        f"{load_summarization(Path('run')).tokenizer.name})",
    ]


def lost_of(run: str, text: str, width: int) -> tuple[int, int]:
    """Words that the run's own model writes with nothing attended to, and all."""
    trained = load_summarization(Path(run))
    batch = trained.batch("x", text.lower().split())
    found = trained.summarizer.decode(trained.summarizer.read(batch), "hard", width)
    words = int(found.lengths)
    return sum(mass == 0 for mass in found.attended[0, :words].tolist()), words


@pytest.mark.parametrize("streamed", [False, True])
def test_words_that_attend_to_nothing_are_counted(
    command: Command, monkeypatch: pytest.MonkeyPatch, streamed: bool
) -> None:
    lost, words = lost_of("run", TEXTS["a.txt"], 1)
    assert 0 < lost <= words
    if streamed:
        give_on_standard_input(monkeypatch, [TEXTS["a.txt"].encode()])
    ended = command("--stream", "-") if streamed else command("a.txt", "--beam", "1")
    name = "standard input" if streamed else "a.txt"
    assert ended.err.splitlines()[1].startswith(f"{name}: {lost} of {words} words were written wh")


def test_a_summary_without_a_word_is_told(command: Command, tmp_path: Path) -> None:
    run_of(tmp_path / "mute", "SoftAttention", seed=1)
    best = tmp_path / "mute/checkpoints/best.ckpt"
    state = torch.load(best, weights_only=True)["state_dict"]
    state["decoder.output.bias"][VOCABULARY.EOS] = 1e4
    change(best, state_dict=state)
    ended = command("a.txt", run="mute")
    assert (ended.code, ended.out) == (0, "\n")
    assert ended.err.splitlines()[1:] == ["a.txt: (no words)"]


def test_a_text_without_end_is_counted_and_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("the cat\n" * 500)
    document = text_document(str(path), 7, TreebankTokenizer())
    assert (document.words, document.length) == (["the", "cat"] * 3 + ["the"], 1_000)


def test_a_file_may_be_called_like_standard_input_or_like_a_message(command: Command) -> None:
    Path("standard input").write_text(TEXTS["a.txt"])
    Path("has").touch()
    ended = command("standard input", "has", "--json")
    assert json.loads(ended.out)["words"] == words_of("run", TEXTS["a.txt"])
    assert "error: has: has no word" in ended.err


def test_standard_input_is_a_document_among_others(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_on_standard_input(monkeypatch, [TEXTS["a.txt"].encode()])
    first, second = map(json.loads, command("-", "b.txt", "--json").out.splitlines())
    assert (first["file"], second["file"]) == ("standard input", "b.txt")
    assert first["words"] == words_of("run", TEXTS["a.txt"])


def test_attention_is_drawn_over_the_documents_words(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mocha_lightning.pictures import word_figure

    drawn = []
    draw = word_figure.draw_words
    monkeypatch.setattr(word_figure, "draw_words", lambda shown: drawn.append(shown) or draw(shown))
    ended = command("a.txt", "--attention", "where.png")
    assert ended.code == 0
    assert Path("where.png").read_bytes().startswith(b"\x89PNG")
    ((mechanism, alignments),) = drawn[0].items()
    assert mechanism == "MoChA"
    assert alignments.source == tuple(TEXTS["a.txt"].lower().split())
    assert alignments.outputs == (*words_of("run", TEXTS["a.txt"]), "</s>")
    assert alignments.hard.shape == (len(alignments.outputs), len(alignments.source))


def test_a_picture_that_cannot_be_written_is_one_line(command: Command) -> None:
    for length in (250, 255):  # too long with what it is called while it is written; by itself
        name = f"{'x' * length}.png"
        ended = command("a.txt", "--attention", name)
        assert ended.code == 2
        assert f"--attention {name}: cannot be written (File name too long)" in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give text files (- is standard input), or else --stream -"),
        (["a.txt", "--stream", "-"], "give text files"),
        (["-", "-"], "-: standard input can be read once"),
        (["--stream", "-", "--beam", "4"], "--beam: a beam may take back"),
        (["a.txt", "--beam", "0"], "--beam: must be a whole number above 0"),
        (["a.txt", "b.txt", "--attention", "x.png"], "--attention: is of one document"),
        (
            ["a.jsonl", "--document-column", "x", "--attention", "x.png"],
            "--attention: is of one document",
        ),
        (["-", "--document-column", "x"], "--document-column: is of files"),
        (["--stream", "-", "--document-column", "x"], "--document-column: is of files"),
        (["a.jsonl", "--id-column", "x"], "--summary-column, --id-column: name the --document-col"),
        (["a.txt", "--attention", "x.pdf"], "--attention x.pdf: is drawn as PNG"),
        (["a.txt", "--attention", "no/x.png"], "--attention no/x.png: is no file in a folder"),
    ],
)
def test_a_mistake_is_one_line(command: Command, words: list[str], said: str) -> None:
    ended = command(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {said}")
    assert ended.err.count("\n") == 1
