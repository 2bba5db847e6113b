"""What the runs of an experiment have logged, found out from their files."""

import json
from pathlib import Path

import pytest
from wandb_reader import wandb_runs

from mocha_lightning.dashboard.logged import Logged, read_logged
from mocha_lightning.errors import UserError
from mocha_lightning.report.reading import read_runs


def logged(folder: Path) -> Logged:
    return read_logged(folder, read_runs(folder))


def test_every_name_that_it_gives_is_one_that_a_run_has_at_wandb(documents: Path) -> None:
    found = logged(documents)
    there = [set(run["summary"]) for run in wandb_runs(documents)]
    names = {*found.scores, *found.curves, *found.pictures, *found.tables}
    assert names <= set.union(*there)


def test_what_a_run_by_ctc_does_not_have_others_may_have(speech: Path) -> None:
    found = logged(speech)
    assert {"test/wer", "test/undecided", "test/unalignable"} <= found.scores
    assert found.pictures == ("pictures/alignments",)
    assert found.tables == ("tables/predictions",)
    assert {"attention.chunk_size", "attention.offset"} <= found.columns


def test_a_score_that_is_a_number_in_no_run_is_left_out(speech: Path) -> None:
    # Nothing that was recognised after two steps is right, so there is no latency.
    assert (
        "test/latency_median"
        in json.loads((speech / "mocha_w2/seed-0/result.json").read_text())["metrics"]
    )
    found = logged(speech)
    assert not [name for name in (*found.scores, *found.curves) if "latency" in name]


def test_runs_vary_in_what_all_have_and_not_in_what_names_them(documents: Path) -> None:
    assert logged(documents).varying == ("attention.class",)


def test_a_run_without_a_record_at_wandb_is_named(copied: Path) -> None:
    assert logged(copied).unknown == ()
    (copied / "soft/seed-0/wandb-id.txt").unlink()
    assert logged(copied).unknown == (("soft", 0),)


def test_half_a_line_of_curves_is_told_with_its_place(copied: Path) -> None:
    path = copied / "soft/seed-0/curves.jsonl"
    path.write_text(path.read_text() + '{"step": 3, "tra')
    with pytest.raises(UserError, match=r"soft/seed-0/curves\.jsonl, line 3: no record of a step"):
        logged(copied)


def test_a_run_without_its_configuration_is_told(copied: Path) -> None:
    (copied / "soft/seed-0/config.yaml").unlink()
    with pytest.raises(UserError, match=r"soft/seed-0/config\.yaml: cannot be read"):
        logged(copied)
