"""What a recogniser hears, by offline decoding of each utterance whole."""

import math

import numpy as np
import torch
from numpy import ndarray

from mocha_lightning.data import Vocabulary
from mocha_lightning.transcription.recognition import Recognition

BLOCK_SECONDS = 0.04


def utterances(recognition: Recognition, samples: ndarray, rate: int) -> list[str]:
    """The text of each utterance; those that hold no word are left out.

    The next begins at the first multiple of 40 ms at which a stream would have had the end symbol.
    """
    frontend, task = recognition.frontend, recognition.recognizer
    texts, begin = [], 0
    while len(samples) - begin >= 0.025 * rate:
        rest = samples[begin:].astype(np.float32) / 32768
        frames = frontend.normalization.apply(frontend.features.extract(rest, rate))
        features = torch.from_numpy(frames).float()[None]
        with torch.no_grad():
            memory = task.decoder.prepare(*task.encoder(features, torch.tensor([len(frames)])))
            decoded = task.decode(memory, "hard")
        length, entries = int(decoded.lengths), int(memory.lengths)
        text = frontend.vocabulary.decode(decoded.tokens[0, :length].tolist())
        if begin == 0 or bool((decoded.stops[0, :length] < entries).any()):
            texts.append(" ".join(text.split()))
        if decoded.capped or decoded.tokens[0, length] != Vocabulary.EOS:
            break
        heard = task.pacing.emitted(decoded.stops[0, : length + 1], entries, len(rest) / rate)[-1]
        begin += round(math.ceil(round(heard / BLOCK_SECONDS, 6)) * BLOCK_SECONDS * rate)
    return [text for text in texts if text]
