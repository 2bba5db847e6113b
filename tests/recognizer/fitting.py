"""What a recogniser's tests train on, and which scores they expect."""

from fitting import losses_on

from mocha_lightning.recognizer.base import Recognizer

from .setting import ALL, speech

SCORES = {"loss", "wer", "wer_greedy", "wer_expected", "length_cap"}
CTC_SCORES = {"loss", "wer", "wer_greedy", "unalignable"}
MONOTONIC_SCORES = {"undecided", "off_the_end"}


def train(task: Recognizer, steps: int, **arguments) -> list[float]:
    """The losses of updates on all utterances over and over."""
    return losses_on(task, speech(*ALL), steps, **arguments)
