"""How far ahead a recogniser listens, in milliseconds."""

import pytest

from mocha_lightning.data import LogMel
from mocha_lightning.recognizer.encoder import Encoder
from mocha_lightning.recognizer.latency import lookahead_milliseconds


@pytest.mark.parametrize(
    ("causal", "deltas", "milliseconds"),
    [(False, True, 110), (False, False, 70), (True, True, 40), (True, False, 0)],
)
def test_it_is_the_convolutions_and_the_differences(
    causal: bool, deltas: bool, milliseconds: int
) -> None:
    features = LogMel(deltas=deltas)
    encoder = Encoder(features.channels, 80, 2, 2, 1, causal=causal)
    assert lookahead_milliseconds(encoder, features) == milliseconds
