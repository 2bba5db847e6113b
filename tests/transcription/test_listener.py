"""Sound in, words out, as soon as they are decided and however the sound is cut."""

from pathlib import Path

import numpy as np
import pytest
import torch
from data.test_streaming_features import in_pieces

from mocha_lightning.decoding.ctc import ctc_greedy
from mocha_lightning.errors import UserError
from mocha_lightning.recognizer.ctc_layer import BLANK, in_vocabulary
from mocha_lightning.transcription.listener import Listener, Word
from mocha_lightning.transcription.recognition import Recognition, load_recognition

from .oracle import utterances
from .runs import CTC, RATE, as_float, run_of, sound

MECHANISMS = ["MonotonicAttention", "MoChA", "MAtChA", "MILk", "MTA", "AdaptiveMoChA"]


def loaded(folder: Path, mechanism: str = "MoChA", **arguments) -> Recognition:
    return load_recognition(run_of(folder, mechanism, **arguments))


def heard(recognition: Recognition, pieces: list[np.ndarray]) -> list[Word]:
    listener = Listener(recognition)
    words = [word for piece in pieces for word in listener.accept(piece)]
    return words + listener.finish()


def lines(words: list[Word]) -> list[str]:
    numbers = dict.fromkeys(word.utterance for word in words)
    return [" ".join(w.text for w in words if w.utterance == number) for number in numbers]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_utterances_are_those_of_offline_decoding_however_the_sound_is_cut(
    mechanism: str, tmp_path: Path
) -> None:
    found = []
    for seed in (6, 10, 11):
        recognition = loaded(tmp_path / str(seed), mechanism, seed=seed, end=seed % 2)
        samples = sound(2)[seed:]
        expected = utterances(recognition, samples, RATE)
        whole = heard(recognition, [as_float(samples)])
        assert lines(whole) == expected
        for longest in (50, 2000):
            assert heard(recognition, in_pieces(as_float(samples), longest, seed)) == whole
        found += expected
    assert len(found) >= 4  # several in a file
    assert len(set("".join(found))) >= 2


def test_ctc_spells_what_its_offline_search_does(tmp_path: Path) -> None:
    recognition = loaded(tmp_path / "run", CTC, seed=3)
    samples = as_float(sound(2))
    frontend, task = recognition.frontend, recognition.recognizer
    frames = frontend.normalization.apply(frontend.features.extract(samples, RATE))
    with torch.no_grad():
        memory, valid = task.encoder(
            torch.from_numpy(frames).float()[None], torch.tensor([len(frames)])
        )
        spelled = ctc_greedy(task.ctc(memory), valid.sum(1), BLANK)
    expected = frontend.vocabulary.decode(in_vocabulary(spelled.tokens)[0].tolist()).split()
    assert len(expected) > 1
    assert recognition.mechanism == CTC
    for longest in (50, 2000, len(samples)):
        words = heard(recognition, in_pieces(samples, longest, 0))
        assert [word.text for word in words] == expected


def test_a_word_comes_before_the_sound_is_over_and_says_when(tmp_path: Path) -> None:
    listener, words = Listener(loaded(tmp_path / "x", seed=11, end=1)), []
    for piece in np.split(as_float(sound(2)), 100):
        for word in listener.accept(piece):
            assert word.decided == pytest.approx(listener.seconds, abs=0.04)
            assert 0 < word.stopped <= word.decided - 0.11 + 1e-9  # what it looks ahead
            words.append(word)
    assert len(words) > 1
    assert [word.decided for word in words] == sorted(word.decided for word in words)


def test_silence_gives_no_words(tmp_path: Path) -> None:
    recognition = loaded(tmp_path / "x", seed=10)
    hum = np.full(8000, 9e-4, np.float32)
    assert heard(recognition, [hum]) == []
    louder = heard(recognition, [hum, np.full(80, 2e-3, np.float32)])
    assert len(louder) > 0
    # What had been decided before there was something to hear is not lost, nor its time.
    assert louder[0].utterance == 0


def test_what_the_end_finds_without_a_stop_is_no_utterance(tmp_path: Path) -> None:
    """The head stops nowhere, and what is said then is not what was heard."""
    recognition = loaded(tmp_path / "x", seed=10)
    recognition.recognizer.decoder.attention.head.r.data.fill_(-100)
    for number, said in ((0, True), (1, False)):
        listener = Listener(recognition)
        listener._begun = number
        assert listener.accept(as_float(sound(1))) == []
        words = listener.finish()
        assert bool(words) == said
        assert all(word.stopped is None for word in words)


def test_sound_too_short_for_anything_is_refused_and_a_short_rest_is_not(tmp_path: Path) -> None:
    recognition = loaded(tmp_path / "x", seed=10, end=100)
    samples = as_float(sound(1))
    for count in (0, 100):
        with pytest.raises(UserError, match=f"audio of {count} samples at 8000 Hz is shorter"):
            heard(recognition, [samples[:count]])
    # Every utterance ends as soon as it can, and leaves rests of all lengths.
    for count in range(2000, 3300, 90):
        assert heard(recognition, [samples[:count]]) == []


def test_what_was_spelled_of_a_word_is_told_when_nothing_more_is_heard(tmp_path: Path) -> None:
    recognition = loaded(tmp_path / "x", seed=10)
    samples = as_float(sound(2))
    listener = Listener(recognition)
    assert listener.accept(samples[:9000]) == []
    (word,) = listener.stop()
    (whole, *_) = heard(recognition, [samples])
    assert whole.text.startswith(word.text)
    assert 0 < len(word.text) < len(whole.text)
