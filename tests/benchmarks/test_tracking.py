"""``benchmarks/tracking.py``."""

import pytest
import tracking as benchmark
from tracking import Spent

from .tables import read_table


def test_what_wandb_costs_is_told_as_a_share_also_of_runs_with_other_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {"disabled": Spent(100.0, 110.0), "offline": Spent(105.0, 121.0)}
    monkeypatch.setattr(benchmark, "measured", lambda mode, *_: found[mode])
    benchmark.main(["--repetitions", "1"])
    rows = {row["W&B"]: row for row in read_table(capsys.readouterr().out)}
    offline = rows["offline, steps of 20 ms"]
    assert (offline["more, %"], offline["more on the clock, %"]) == ("5.0", "10.0")
    # Five seconds more of the processor, eleven on the clock, of 5,000 steps of 0.2 s.
    longer = rows["offline, steps of 200 ms (reckoned)"]
    assert (longer["more, %"], longer["more on the clock, %"]) == ("0.5", "1.1")


def test_a_run_is_tracked_and_wandbs_own_process_is_counted() -> None:
    spent = benchmark.measured("offline", 50, 1)
    assert spent.wall > 0
    assert spent.cpu > benchmark.measured("disabled", 50, 1).cpu


def test_work_takes_as_long_as_it_was_told() -> None:
    assert benchmark.products_in(20) > benchmark.products_in(1)
