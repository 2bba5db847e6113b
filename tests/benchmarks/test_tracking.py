"""``benchmarks/tracking.py``."""

import pytest
import tracking as benchmark
from harness import Spent

from .tables import read_table


def test_what_wandb_costs_is_told_as_a_share_of_the_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = (Spent(1001.0, 0.5), Spent(1003.0, 10.0))
    monkeypatch.setattr(benchmark, "measured", lambda *_: found)
    benchmark.main(["--repetitions", "1"])
    rows = {row["W&B"]: row for row in read_table(capsys.readouterr().out)}
    share = "of 1,000 s of steps, %"
    assert (rows["disabled"][share], rows["offline"][share]) == ("0.05", "1.00")
    assert rows["offline"]["a step, ms"] == "2.00"


def test_wandbs_own_process_is_counted() -> None:
    without, offline = benchmark.measured(50, 1)
    assert offline.cpu > without.cpu > 0
    assert offline.wall > 0
