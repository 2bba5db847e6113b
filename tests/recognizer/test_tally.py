"""What a recogniser counts over a split."""

import torch

from mocha_lightning.data import Vocabulary
from mocha_lightning.recognizer.tally import SpeechTally


def test_ctc_has_no_length_cap_but_transcripts_that_cannot_be_aligned() -> None:
    tally = SpeechTally()
    tally.add_unalignable(1, 4)
    tally.add_unalignable(2, 2)
    tally.add_loss(torch.tensor(2.0), torch.tensor(10))
    assert tally.scores() == {"loss": 2.0, "unalignable": 0.5}


def test_word_error_rates_are_named_after_the_hypotheses() -> None:
    tally = SpeechTally()
    for reference, hypothesis, greedy in (("a b", "a b", "a"), ("a b", "a b", "")):
        record = {"reference": reference, "hypothesis": hypothesis, "hypothesis_greedy": greedy}
        tally.predictions.append({**record, "utterance": "one"})
    assert tally.word_error_rates(str) == {"wer": 0, "wer_greedy": 75}


def test_what_does_not_count_counts_on_neither_side() -> None:
    tally = SpeechTally()
    tally.predictions.append({"reference": "a # b", "hypothesis": "# a c"})
    scored = Vocabulary((" ", "a", "b", "c", "#"), unscored=("#",)).scored
    assert tally.word_error_rates(str) == {"wer": 100.0}
    assert tally.word_error_rates(scored) == {"wer": 50.0}
