"""Speech by eSpeak NG."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mocha_lightning.data import synthesis
from mocha_lightning.data.espeak import VOICES
from mocha_lightning.data.synthesis import SAMPLE_RATE, Request, synthesise
from mocha_lightning.errors import UserError

pytest.importorskip("espeakng_loader", reason="eSpeak NG is not installed (extra: espeak)")

SENTENCE = "four hundred and seven"


def spoken(*requests: Request) -> list[str]:
    return [hashlib.sha256(speech.samples).hexdigest() for speech in synthesise(requests)]


def test_the_same_requests_give_the_same_samples() -> None:
    voices = [voice for split in VOICES.values() for voice in split[::4]]
    requests = [Request(SENTENCE, voice, 160, 50) for voice in voices]
    once = spoken(*requests)
    assert once == spoken(*requests)
    assert len(set(once)) == len(requests)  # all voices are heard to differ


def test_rate_and_pitch_are_obeyed() -> None:
    slow, fast = synthesise([Request(SENTENCE, "en-us", rate, 50) for rate in (100, 220)])
    assert len(slow.samples) > 1.5 * len(fast.samples)

    def pitch(samples: np.ndarray) -> float:
        """Of the strongest part of the speech, in Hz, by autocorrelation."""
        middle = samples[len(samples) // 4 :][:4096]
        correlation = np.correlate(middle, middle, "full")[len(middle) :]
        return SAMPLE_RATE / (60 + correlation[60:400].argmax())

    low, high = synthesise([Request("nine", "en-us", 120, value) for value in (10, 90)])
    assert pitch(high.samples) > 1.3 * pitch(low.samples)


def test_all_voices_exist_and_can_be_heard() -> None:
    voices = [voice for split in VOICES.values() for voice in split]
    for samples, _ in synthesise([Request("seven", voice, 200, 50) for voice in voices]):
        assert 0.2 < len(samples) / SAMPLE_RATE < 2
        assert np.sqrt(np.mean(samples**2)) > 0.02


def level(samples: np.ndarray, begin: float, end: float) -> float:
    """Root mean square of a stretch given in seconds."""
    stretch = samples[round(begin * SAMPLE_RATE) : round(end * SAMPLE_RATE)]
    return float(np.sqrt(np.mean(stretch**2)))


def test_a_word_ends_where_it_falls_silent() -> None:
    """At a comma eSpeak pauses."""
    voices = [voice for split in VOICES.values() for voice in split[::5]]
    requests = [Request("one, seven, four, nine, two", voice, 160, 50) for voice in voices]
    for samples, word_ends in synthesise(requests):
        assert len(word_ends) == 5
        for end in word_ends[:-1] / SAMPLE_RATE:
            # Some voices have an echo, which a word is heard by a little longer.
            assert level(samples, end - 0.08, end) > 5 * level(samples, end + 0.08, end + 0.12)


def test_a_word_that_runs_into_the_next_ends_after_its_last_sound() -> None:
    """The n of "seven" is heard, and "eight" is said to begin with it."""
    (both,) = synthesise([Request("seven eight", "en-us", 160, 50)])
    (alone,) = synthesise([Request("seven", "en-us", 160, 50)])
    assert both.word_ends[0] / alone.word_ends[0] == pytest.approx(1, abs=0.2)


def test_words_in_a_string_are_as_long_as_alone() -> None:
    words = ["seven", "eight", "two", "nine"]  # the first runs into the second
    *alone, together = synthesise(
        [Request(text, "en-us", 160, 50) for text in (*words, " ".join(words))]
    )
    lengths = np.diff(together.word_ends, prepend=0) / SAMPLE_RATE
    expected = [speech.word_ends[0] / SAMPLE_RATE for speech in alone]
    # Vowels are longer before a pause, and closures before a consonant belong to a word here.
    assert lengths == pytest.approx(expected, abs=0.13)
    assert lengths.std() > 0.05


def test_an_unknown_voice_is_no_silent_other_voice(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="synthesis process failed"):
        list(synthesise([Request("one", "martian", 160, 50)]))
    assert "no voice 'martian'" in capfd.readouterr().err


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were begun."""
    processes: list[subprocess.Popen[bytes]] = []

    def popen(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
        processes.append(real(*words, **options))
        return processes[-1]

    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", popen)
    return processes


def test_stopping_early_ends_the_process(begun: list[subprocess.Popen[bytes]]) -> None:
    stream = synthesise([Request(SENTENCE, "en-us", 100, 50)] * 200)
    next(stream)
    assert begun[0].poll() is None
    stream.close()
    assert begun[0].poll() is not None


def test_a_process_that_was_killed_is_said_so(begun: list[subprocess.Popen[bytes]]) -> None:
    stream = synthesise([Request(SENTENCE, "en-us", 100, 50)] * 200)
    next(stream)
    begun[0].kill()
    with pytest.raises(UserError, match=r"was killed by SIGKILL \(signal 9\)") as caught:
        list(stream)
    assert "\n" not in str(caught.value)


def test_a_process_whose_reader_is_gone_ends_without_a_word() -> None:
    request = {"text": SENTENCE, "voice": "en-us", "rate": 100, "pitch": 50}
    process = subprocess.Popen(
        [sys.executable, "-P", synthesis.synthesis_process.__file__, *synthesis.espeak_paths()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, said = process.communicate((json.dumps(request) + "\n").encode() * 20)
    assert said == b""
    assert process.returncode == 0


def test_a_deep_folder_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine itself cuts the path of its data off after 160 bytes."""
    library, data = synthesis.espeak_paths()
    deep = tmp_path / ("ä" * 100) / ("deep" * 30)
    deep.parent.mkdir()
    deep.symlink_to(data)
    request = Request("one", "en-us", 160, 50)
    usual = spoken(request)
    monkeypatch.setattr(synthesis, "espeak_paths", lambda: (library, str(deep)))
    assert spoken(request) == usual


def test_a_missing_engine_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "find_spec", lambda _: None)
    with pytest.raises(UserError, match=r'pip install "mocha-lightning\[espeak\]"'):
        list(synthesise([]))
    with pytest.raises(UserError, match="not installed"):
        synthesis.espeak_version()


def test_an_engine_that_does_not_load_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "espeak_paths", lambda: ("/none/libespeak.so", ""))
    with pytest.raises(UserError, match="cannot be loaded"):
        synthesis.espeak_version()


def test_the_version_is_known() -> None:
    assert synthesis.espeak_version()[:2] == "1."
