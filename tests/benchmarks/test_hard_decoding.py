"""``benchmarks/hard_decoding.py``."""

import hard_decoding
import pytest

from .tables import number, read_table


def test_a_row_for_each_length_and_a_scan_that_does_not_depend_on_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--lengths", "24", "50", "--outputs", "8", "--repetitions", "1"]
    hard_decoding.main(words)
    rows = read_table(capsys.readouterr().out)
    assert [row["T"] for row in rows] == ["24", "50"]
    assert list(rows[0])[1:-1] == list(hard_decoding.MECHANISMS)
    assert all(number(row[name]) > 0 for row in rows for name in hard_decoding.MECHANISMS)
    energies = [number(row["energies an output"]) for row in rows]
    assert energies[0] == energies[1] == pytest.approx(4, abs=0.5)


def test_memories_too_short_for_the_outputs_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as caught:
        hard_decoding.main(["--lengths", "50", "--outputs", "20"])
    assert caught.value.code == 2
    assert "20 outputs pass 60 entries: 50 are fewer" in capsys.readouterr().err
