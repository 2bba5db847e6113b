"""``benchmarks/streaming.py``."""

import pytest
import streaming

from .tables import number, read_table


def test_a_row_for_each_mechanism_and_no_cut_that_changes_anything(
    capsys: pytest.CaptureFixture[str],
) -> None:
    small = ["--filters", "2", "--dim", "8"]
    streaming.main(["--seconds", "1", "--utterances", "2", "--repetitions", "1", *small])
    rows = read_table(capsys.readouterr().out)
    assert [row["mechanism"] for row in rows] == list(streaming.MECHANISMS)
    for row in rows:
        assert number(row["real-time factor"]) > 0
        assert number(row["slowest 40 ms, in ms"]) > 0
        assert number(row["symbols a second"]) > 5
        assert row["same however cut"] == "2 of 2"
