"""The command ``summarize``."""

import io
import json
import os
import random
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from test_cli import Command, Ended
from transcription.runs import run_of as speech_run_of

from mocha_lightning.cli import main
from mocha_lightning.data import Example
from mocha_lightning.data.document_batches import DocumentBatch
from mocha_lightning.data.tokenizing import TreebankTokenizer
from mocha_lightning.summarization.documents import text_document
from mocha_lightning.summarization.trained import load_summarization
from mocha_lightning.summarizer.text import text_of

from .runs import SOURCE_WORDS, VOCABULARY, frontend_of, run_of

TEXTS = {
    "a.txt": "The cat sat .\nthe Gnu saw the zebra and ran .",
    "b.txt": "the dog ran and the okapi sat .\n",
}


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Summarise with a run, in a folder that has two documents."""
    monkeypatch.chdir(tmp_path)
    run_of(tmp_path / "run", "MoChA", seed=1, unidirectional=True)
    for name, text in TEXTS.items():
        Path(name).write_text(text)

    def give(*words: str, run: str = "run") -> Ended:
        with pytest.raises(SystemExit) as caught:
            main(["summarize", *words, "--checkpoint", run])
        said = capsys.readouterr()
        return Ended(int(caught.value.code or 0), said.out, said.err)

    return give


def give_on_standard_input(monkeypatch: pytest.MonkeyPatch, pieces: Iterable[bytes]) -> None:
    """Have the process read them there, one at a time."""

    class Pieces(io.TextIOWrapper):
        def fileno(self) -> int:
            return 12345

    coming, read = iter(pieces), os.read
    monkeypatch.setattr(sys, "stdin", Pieces(io.BytesIO()))
    monkeypatch.setattr(
        os, "read", lambda at, count: next(coming, b"") if at == 12345 else read(at, count)
    )


def words_of(run: str, text: str, width: int | None = None, running: bool = False) -> list[str]:
    """The summary that the run's own model finds, of a batch that is put together here."""
    task = load_summarization(Path(run)).summarizer
    words = text.lower().split()
    if running:
        words = [word for each in TreebankTokenizer().sentences(text) for word in each]
    words = words[:SOURCE_WORDS]
    unknown = tuple(dict.fromkeys(word for word in words if word not in VOCABULARY.words))
    extended = torch.tensor(
        [
            [
                VOCABULARY.words.index(word) + 4
                if word in VOCABULARY.words
                else len(VOCABULARY) + unknown.index(word)
                for word in words
            ]
        ]
    )
    batch = DocumentBatch(
        extended.masked_fill(extended >= len(VOCABULARY), VOCABULARY.UNK),
        extended,
        torch.tensor([len(words)]),
        torch.tensor([[VOCABULARY.EOS]]),
        torch.tensor([1]),
        (unknown,),
        (Example("x", text, "", {}),),
    )
    found = task.decode(task.read(batch), "hard", width or task.beam_width)
    return VOCABULARY.decode(found.tokens[0].tolist(), unknown)


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


# -- Files of rows -------------------------------------------------------------------------------

ROWS = [
    {"name": "one", "text": TEXTS["a.txt"], "gold": "The cat ran ."},
    {"name": "two", "text": TEXTS["b.txt"], "gold": "the dog ."},
]


def write_rows(*rows: dict[str, object]) -> None:
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


COLUMNS = ("--document-column", "text", "--summary-column", "gold", "--id-column", "name")


def test_each_row_of_a_file_is_a_document_and_what_is_printed_can_be_evaluated(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rows(*ROWS)
    ended = command("rows.jsonl", *COLUMNS, "--json")
    assert ended.code == 0
    found = [json.loads(line) for line in ended.out.splitlines()]
    for row, made in zip(ROWS, found, strict=True):
        assert made["id"] == row["name"]
        assert made["source"] == row["text"].lower().strip()
        assert made["reference"] == row["gold"].lower()
        assert made["hypothesis"] == text_of(words_of("run", row["text"]))
    Path("made.jsonl").write_text(ended.out)
    with pytest.raises(SystemExit) as caught:
        main(["evaluate", "--predictions", "made.jsonl", "--json"])
    assert not caught.value.code
    assert json.loads(capsys.readouterr().out)["texts"] == 2


def test_rows_without_names_and_references_are_numbered(command: Command) -> None:
    write_rows(*ROWS)
    ended = command("rows.jsonl", "--document-column", "text")
    expected = [
        f"row-0000{number}: {line}".rstrip()
        for number, row in enumerate(ROWS, 1)
        for line in text_of(words_of("run", row["text"])).split("\n")
    ]
    assert ended.out.splitlines() == expected
    made = json.loads(
        command("rows.jsonl", "--document-column", "text", "--json").out.split("\n")[0]
    )
    assert "reference" not in made


def test_a_row_that_cannot_be_used_keeps_no_other_from_it(command: Command) -> None:
    write_rows(ROWS[0], {"name": "bad", "text": " ", "gold": "x"}, ROWS[1])
    ended = command("rows.jsonl", *COLUMNS, "--json")
    assert ended.code == 2
    assert [json.loads(line)["id"] for line in ended.out.splitlines()] == ["one", "two"]
    errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    assert errors == [
        "error: bad (rows.jsonl, line 2): empty document: there is no word in it",
        "error: rows.jsonl: 1 of its 3 rows cannot be used (see above)",
    ]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv.gz", "rows.parquet"])
def test_a_file_of_rows_is_no_text(command: Command, name: str) -> None:
    Path(name).write_text("{}")
    ended = command(name)
    assert (ended.code, ended.out) == (2, "")
    assert f"error: {name}: is a file of rows by its name: say with --document-c" in ended.err


def test_a_file_without_a_row_or_a_column_is_told(command: Command) -> None:
    write_rows()
    assert "error: rows.jsonl: has no row" in command("rows.jsonl", *COLUMNS).err
    write_rows({"text": "a"})
    ended = command("rows.jsonl", *COLUMNS)
    assert ended.code == 2
    assert "rows.jsonl, line 1: has no column gold" in ended.err


def test_standard_input_is_a_document_among_others(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_on_standard_input(monkeypatch, [TEXTS["a.txt"].encode()])
    first, second = map(json.loads, command("-", "b.txt", "--json").out.splitlines())
    assert (first["file"], second["file"]) == ("standard input", "b.txt")
    assert first["words"] == words_of("run", TEXTS["a.txt"])


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


# -- The checkpoint ------------------------------------------------------------------------------


def change(path: Path, **changes: object) -> None:
    torch.save({**torch.load(path, weights_only=True), **changes}, path)


def test_a_run_of_another_task_is_said_so(command: Command, tmp_path: Path) -> None:
    speech_run_of(tmp_path / "speech", "MoChA")
    ended = command("a.txt", run="speech")
    assert ended.code == 2
    assert ended.err.startswith(
        "error: speech/config.yaml: task: SpeechRecognizer is no summariser of documents"
    )
    assert ended.err.count("\n") == 1


def test_a_summariser_does_not_transcribe(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command("a.txt")
    with pytest.raises(SystemExit):
        main(["transcribe", "x.wav", "--checkpoint", "run"])
    said = capsys.readouterr().err
    assert said.startswith("error: run/config.yaml: task: Summarizer is no recogniser of speech")
    assert said.count("\n") == 1


def test_a_checkpoint_that_does_not_fit_is_said_so(command: Command) -> None:
    best = Path("run/checkpoints/best.ckpt")
    state = frontend_of(TreebankTokenizer()).state_dict()
    for changed, said in (
        ({**state, "words": state["words"][:-1]}, "is 12 x 9, and must be 11 x 9 in the Summ"),
        ({**state, "words": ["a", "a"]}, "keeps of its corpus is damaged (UserError: a vocabul"),
        ({**state, "source_words": 0}, "what it keeps of its corpus is damaged"),
        ({**state, "format": 9}, "what it keeps of its corpus is in format 9, and this version"),
        ({**state, "tokenizer": "Own"}, "its corpus was cut into words by Own, and only"),
        (None, "keeps no vocabulary of its corpus (DocumentFile): it is of an earlier version"),
    ):
        change(best, DocumentFile=changed)
        ended = command("a.txt")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: {best}: ")
        assert said in ended.err
        assert ended.err.count("\n") == 1


def test_another_version_of_the_tokenizer_is_told(command: Command) -> None:
    state = frontend_of(TreebankTokenizer()).state_dict() | {"tokenized_by": "nltk 3.0"}
    change(Path("run/checkpoints/best.ckpt"), DocumentFile=state)
    assert "its corpus was cut into words by nltk 3.0, and documents are here by nltk" in (
        command("a.txt").err
    )


def test_nothing_in_a_checkpoint_is_executed(command: Command, tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "exploded",))

    torch.save({"state_dict": Bomb()}, "run/checkpoints/best.ckpt")
    assert "would have" in command("a.txt").err
    assert not (tmp_path / "exploded").exists()
