"""Timing side by side, and the options."""

import time

import pytest
from harness import Options, median_milliseconds, ratio, significant


def test_times_are_medians_of_what_runs_in_rotation() -> None:
    names = []

    def subject(name: str, seconds: list[float]) -> None:
        names.append(name)
        time.sleep(seconds.pop(0))

    # The first does not count, nor does the one that took long for once.
    slow, quick = [0.4, 0.1, 0.3, 0.1], [0.4, 0.001, 0.001, 0.3]
    found = median_milliseconds(
        {"slow": lambda: subject("slow", slow), "quick": lambda: subject("quick", quick)}, 3
    )
    assert names == ["slow", "quick", "slow", "quick", "quick", "slow", "slow", "quick"]
    assert 100 <= found["slow"] < 300
    assert 1 <= found["quick"] < 100


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--repetitions", "0"], "must be a whole number from 1 to 1,000,000, not 0"),
        (["--repetitions", "few"], "must be a whole number from 1 to 1,000,000, not few"),
        (["--device", "tpu"], "must be cpu or cuda, not tpu"),
    ],
)
def test_bad_options_are_said(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = Options("what it does", 3)
    options.device()
    with pytest.raises(SystemExit) as caught:
        options.parse_args(words)
    assert caught.value.code == 2
    assert capsys.readouterr().err.rstrip().endswith(said)


def test_a_gpu_that_is_not_there_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    options = Options("what it does", 3)
    options.device()
    with pytest.raises(SystemExit):
        options.parse_args(["--device", "cuda"])
    assert "cuda: there is no GPU here" in capsys.readouterr().err


def test_numbers_have_three_digits() -> None:
    assert [significant(value) for value in (0.01234, 1.5, 12.34, 123.4, 12345.6)] == [
        *("0.0123", "1.50", "12.3", "123", "12,346")
    ]
    assert ratio(3.0, 2.0) == "1.50"
