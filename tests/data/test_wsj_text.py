"""The text of Wall Street Journal transcripts."""

import pytest

from mocha_lightning.data.wsj_text import VOCABULARY, normalised


@pytest.mark.parametrize(
    ("transcript", "text"),
    [
        # The examples in Kaldi's script.
        (
            r"Of course there isn\'t any guarantee the company will keep its hot hand [misc_noise]",
            "of course there isn't any guarantee the company will keep its hot hand <noise>",
        ),
        (
            r"[loud_breath] And new hardware such as I\. B\. M\. introduced [door_slam]",
            "<noise> and new hardware such as i. b. m. introduced <noise>",
        ),
        ("a [<door_slam] b [door_slam>] c", "a b c"),
        ("[phone_ring/] a [/phone_ring] b", "a b"),
        ("a . b ~", "a b"),
        ("ten %PERCENT one .POINT two", "ten percent one point two"),
        ("a --DASH b", "a -dash b"),
        ("<and> <don't> <*IN*> <*MR.*>", "and don't in mr."),
        # Verbalised punctuation keeps what the vocabulary holds.
        (
            'a ,COMMA "DOUBLE-QUOTE b (LEFT-PAREN &AMPERSAND .PERIOD -HYPHEN',
            "a comma double-quote b left-paren ampersand .period -hyphen",
        ),
        ("*read* REVO(LUTIONARY)- ye:s", "read revolutionary- yes"),
        ("  two   spaces ", "two spaces"),
        ("[door_slam>]", ""),
    ],
)
def test_a_transcript_is_normalised(transcript: str, text: str) -> None:
    assert normalised(transcript) == text
    assert VOCABULARY.decode(VOCABULARY.encode(text)) == text


@pytest.mark.parametrize("transcript", ["ten 10", "[unclosed", "é", "a=b"])
def test_what_is_not_known_stays_to_be_found(transcript: str) -> None:
    assert VOCABULARY.foreign(normalised(transcript)) is not None


def test_the_vocabulary_has_31_symbols_of_which_noise_is_one() -> None:
    assert len(VOCABULARY.symbols) == 31
    assert len(VOCABULARY.encode("a <noise>")) == 3
