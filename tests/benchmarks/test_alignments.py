"""``benchmarks/alignments.py``."""

import alignments
import pytest
import torch

from .tables import number, read_table


def test_a_row_for_each_shape(capsys: pytest.CaptureFixture[str]) -> None:
    alignments.main(["--batches", "1", "2", "--lengths", "5", "9", "--repetitions", "2"])
    printed = capsys.readouterr().out
    rows = read_table(printed)
    assert [(row["batch"], row["T"]) for row in rows] == [
        *(("1", "5"), ("1", "9"), ("2", "5"), ("2", "9"))
    ]
    assert list(rows[0])[2:] == [
        *("softmax, µs", "monotonic", "chunkwise, w = 2", "chunkwise, w = 8", "lookback")
    ]
    assert all(number(row[name]) > 0 for row in rows for name in list(row)[2:])
    assert f"1 thread, PyTorch {torch.__version__}; measured in" in printed


def test_every_gradient_is_computed() -> None:
    for name, both in alignments.subjects(2, 7, "cpu").items():
        gradients = both()
        assert len(gradients) == (1 if name == alignments.SOFTMAX else 2)
        assert all(gradient.shape == (2, 7) and gradient.any() for gradient in gradients)


def test_help_says_what_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        alignments.main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "a ratio of 2.00 is twice softmax's time" in said
    assert "--lengths" in said
    assert "(default: 100 500 2000)" in said
