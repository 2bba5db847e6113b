"""The command ``transcribe``."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from commands import Command, Ended, give

from mocha_lightning.transcription.recognition import load_recognition

from .oracle import utterances
from .runs import RATE, run_of, sound


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Transcribe with a run, in a folder that has two sound files."""
    monkeypatch.chdir(tmp_path)
    run_of(tmp_path / "run", "MoChA", seed=11, end=1)
    for seed, name in enumerate(("a.wav", "b.flac")):
        soundfile.write(name, sound(2, seed), RATE)

    def told(*words: str, run: str = "run") -> Ended:
        return give(capsys, "transcribe", *words, "--checkpoint", run)

    return told


def offline(name: str) -> list[str]:
    samples, _ = soundfile.read(name, dtype="int16")
    return utterances(load_recognition(Path("run")), samples, RATE)


def test_each_utterance_is_a_line_and_the_rest_goes_to_standard_error(command: Command) -> None:
    ended = command("a.wav")
    assert ended.code == 0
    assert ended.out.splitlines() == offline("a.wav")
    assert len(ended.out.splitlines()) > 1
    first, last = ended.err.splitlines()
    assert first == "MoChA, which hears 110 ms ahead, at 8000 Hz, from run"
    assert re.fullmatch(r"2\.00 s of audio took .* s to recognise: real-time factor \d+\.\d+", last)


def test_several_files_are_told_apart_and_one_that_is_none_stops_no_other(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("text.wav").write_text("This is no sound.")
    Path("empty.wav").touch()
    Path("folder.wav").mkdir()
    broken = sound(1).astype(np.float32) / 32768
    broken[-100] = np.nan
    soundfile.write("nan.wav", broken, RATE, subtype="FLOAT")
    soundfile.write("short.wav", sound(1)[:150], RATE)
    long = "x" * 300 + ".wav"
    Path("locked").mkdir()
    bad = (
        *("text.wav", "empty.wav", "folder.wav", "nan.wav", "short.wav", "none.wav"),
        *(long, "locked/x.wav"),
    )
    is_dir = Path.is_dir

    def refuse(path: Path) -> bool:  # also where tests are run by root
        if path.parent.name == "locked":
            raise PermissionError(13, "Permission denied")
        return is_dir(path)

    monkeypatch.setattr(Path, "is_dir", refuse)
    ended = command("a.wav", *bad, "b.flac")
    assert ended.code == 2
    expected = [f"{name}: {text}" for name in ("a.wav", "b.flac") for text in offline(name)]
    assert [line for line in ended.out.splitlines() if not line.startswith("nan")] == expected
    errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    for name, line, said in zip(
        bad,
        errors,
        (
            *("cannot be read", "is empty", "is a folder", "not finite", "shorter than", "cannot"),
            *("cannot be read (File name too long)", "cannot be read (Permission denied)"),
        ),
        strict=True,
    ):
        assert line.startswith(f"error: {name}: ")
        assert said in line


def test_a_file_without_words_is_told_beside_the_words(command: Command) -> None:
    soundfile.write("silence.wav", np.zeros(RATE, np.int16), RATE)
    ended = command("a.wav", "silence.wav", "b.flac")
    assert ended.code == 0
    assert "silence" not in ended.out
    assert ended.err.splitlines()[1] == "silence.wav: (no words)"
    assert "No word in sound" not in ended.err
    ended = command("silence.wav")
    assert ended.out == ""
    assert "No word in sound" not in ended.err


def test_a_recogniser_that_says_nothing_of_loud_sound_is_hinted_at(
    command: Command, tmp_path: Path
) -> None:
    run_of(tmp_path / "new", "MoChA", end=100)  # all that it says is that the utterance is over
    ended = command("a.wav", run="new")
    assert (ended.code, ended.out) == (0, "")
    *_, last = ended.err.splitlines()
    assert last.startswith("No word in sound that is not silent: the recogniser may have learned ")


def test_timestamps_and_json_tell_the_same(command: Command) -> None:
    lines = command("a.wav", "--timestamps").out.splitlines()
    # Between utterances an empty line.
    assert lines.count("") == len(offline("a.wav")) - 1
    stamped = [line.split() for line in lines if line]
    *events, final = map(json.loads, command("a.wav", "--json").out.splitlines())
    assert [event["word"] for event in events] == [word for _, _, word in stamped]
    for event, (decided, stopped, _) in zip(events, stamped, strict=True):
        assert event["file"] == "a.wav"
        assert event["decided"] == pytest.approx(float(decided), abs=1e-3)
        assert event["decided"] == pytest.approx(0.04 * round(event["decided"] / 0.04))
        assert stopped == "-" or event["stopped"] == pytest.approx(float(stopped), abs=1e-3)
    assert final["utterances"] == offline("a.wav")
    assert final["text"] == " ".join(offline("a.wav"))
    assert [{"file": "a.wav", **word} for word in final["words"]] == events
    assert (final["file"], final["seconds"], final["whole"]) == ("a.wav", 2.0, True)
    assert final["real_time_factor"] > 0


def test_channels_are_mixed_and_rates_changed_and_it_is_said(command: Command) -> None:
    samples = sound(2).astype(np.float32) / 32768
    doubled = np.stack([samples, samples], 1)
    soundfile.write("two.wav", doubled, RATE, subtype="FLOAT")
    assert command("two.wav").out == command("a.wav").out
    assert "two.wav: the mean of 2 channels\n" in command("two.wav").err
    for rate in (5000, 16_000):
        other = soxr.resample(samples, RATE, rate)
        soundfile.write("other.wav", other, rate, subtype="FLOAT")
        back = soxr.resample(other, rate, RATE)
        ended = command("other.wav")
        assert f"other.wav: resampled from {rate} to 8000 Hz\n" in ended.err
        recognition = load_recognition(Path("run"))
        assert ended.out.splitlines() == utterances(recognition, back * 32768, RATE)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give sound files, or else --stream - for raw samples"),
        (["a.wav", "--stream", "-"], "give sound files, or else --stream -"),
        (["a.wav", "--rate", "8000"], "--rate: is for --stream alone"),
        (["--stream", "-", "--rate", "80"], "--rate: must be a whole number from 4000 to 384000"),
        (["--stream", "x"], "--stream: invalid choice: 'x'"),
        (["a.wav", "--json", "--timestamps"], "--timestamps: --json has them too"),
    ],
)
def test_a_mistake_is_one_line(command: Command, words: list[str], said: str) -> None:
    ended = command(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {said}")
    assert ended.err.count("\n") == 1


def test_attention_that_needs_the_whole_is_refused(command: Command, tmp_path: Path) -> None:
    run_of(tmp_path / "soft", "SoftAttention")
    ended = command("a.wav", run="soft")
    assert ended.code == 2
    assert ended.err.startswith("error: SoftAttention has no monotonic head that says when")
    assert ended.err.count("\n") == 1


def test_a_stream_is_transcribed_as_it_arrives(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing more is sent before the first word is there."""
    whole = command("a.wav").out
    source, sink = os.pipe()
    monkeypatch.setattr(sys, "stdin", os.fdopen(source))
    data = sound(2).astype("<i2").tobytes()
    early: list[str] = []

    def send() -> None:
        generator, at = np.random.default_rng(0), 0
        while at < len(data):
            size = int(generator.integers(1, 2000))
            os.write(sink, data[at : at + size])  # half samples among them
            at += size
            deadline = time.monotonic() + 180
            while at > len(data) * 0.8 and not early and time.monotonic() < deadline:
                early.extend(capsys.readouterr().out)
                time.sleep(0.01)
        os.close(sink)

    sender = threading.Thread(target=send)
    sender.start()
    ended = command("--stream", "-", "--rate", str(RATE))
    sender.join()
    assert ended.code == 0
    assert len(early) > 0
    assert "".join(early) + ended.out == whole


def test_what_is_no_stream_is_one_line(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "nothing").touch()
    (tmp_path / "short").write_bytes(bytes(101))
    for flags, name, said in (
        (os.O_RDONLY, "nothing", "ended after 0 samples, less than the 25 ms that can be heard at"),
        (os.O_RDONLY, "short", "ended after 50 samples, less than the 25 ms that can be heard at"),
        (os.O_RDONLY, "a.wav", "begins as a sound file does, and raw samples are expected: give"),
        (os.O_RDONLY, "b.flac", "begins as a sound file does"),
        (os.O_RDONLY, ".", "cannot be read (Is a directory): give another"),
        (os.O_WRONLY, "nothing", "cannot be read (Bad file descriptor): give another"),
    ):
        descriptor = os.open(name, flags)

        class Stream:
            fileno = lambda _, number=descriptor: number  # noqa: E731

        monkeypatch.setattr(sys, "stdin", Stream())
        ended = command("--stream", "-")
        os.close(descriptor)
        assert (ended.code, ended.out) == (2, "")
        assert f"error: standard input: {said}" in ended.err
        assert "remove" not in ended.err


def test_a_stream_that_does_not_wait_is_waited_for(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = command("a.wav").out
    source, sink = os.pipe()
    os.set_blocking(source, False)
    monkeypatch.setattr(sys, "stdin", os.fdopen(source))
    data = sound(2).astype("<i2").tobytes()

    def send() -> None:
        time.sleep(0.3)
        for part in (data[:999], data[999:]):
            os.write(sink, part)
            time.sleep(0.1)
        os.close(sink)

    sender = threading.Thread(target=send)
    sender.start()
    assert command("--stream", "-").out == whole
    sender.join()


SLOW = """
import signal, sys
from mocha_lightning.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
main(["transcribe", "--stream", "-", "--checkpoint", "run", *sys.argv[1:]])
"""


def outside(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_ctrl_c_leaves_what_was_decided(command: Command, tmp_path: Path) -> None:
    with outside(tmp_path, "--json") as process:
        process.stdin.write(sound(2).astype("<i2").tobytes())
        process.stdin.flush()
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=180)
    *events, final = map(json.loads, [first, *out.splitlines()])
    assert process.returncode == 130
    assert len(events) > 0
    told = [{k: v for k, v in event.items() if k != "file"} for event in events]
    # It may come between a word and its own line.
    assert final["words"][: len(told)] == told
    assert not final["whole"]
    assert b"Traceback" not in err
    assert b"real-time factor" in err


def test_a_reader_that_is_gone_is_no_error(command: Command, tmp_path: Path) -> None:
    with outside(tmp_path) as process:
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(sound(2).astype("<i2").tobytes(), timeout=180)
    assert process.returncode == 141
    assert b"Traceback" not in err
    assert b"Exception" not in err
