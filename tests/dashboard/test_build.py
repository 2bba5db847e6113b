"""The workspace and the report of an experiment, as W&B would be sent them."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from wandb_reader import wandb_records

from mocha_lightning.dashboard.logged import read_logged
from mocha_lightning.errors import UserError
from mocha_lightning.report.content import Report
from mocha_lightning.report.content import build_report as build_tables
from mocha_lightning.report.markdown import markdown
from mocha_lightning.report.reading import read_runs

from .mentions import Mention, mentions_of, panels_of, titles_of

pytest.importorskip("wandb_workspaces", reason="wandb-workspaces is not installed (dashboards)")

from mocha_lightning.dashboard.build import build_report, build_workspace


def workspace_of(folder: Path, **changes: Any) -> dict[str, Any]:
    """The workspace of an experiment as JSON."""
    logged = replace(read_logged(folder, read_runs(folder)), **changes)
    model = build_workspace(logged, "me", "attention")._to_model()
    content: dict[str, Any] = json.loads(model.model_dump_json(by_alias=True, exclude_none=True))
    return content


def report_of(folder: Path) -> tuple[dict[str, Any], Report]:
    """The report of an experiment as JSON, and what it is made of."""
    runs = read_runs(folder)
    tables = build_tables(runs)
    made = build_report(read_logged(folder, runs), tables, "me", "attention", offline=True)
    text = made._to_model().model_dump_json(by_alias=True, exclude_none=True)
    return json.loads(text), tables


def at_wandb(folder: Path) -> set[Mention]:
    """All names that the runs of an experiment have at W&B."""
    return {each for run in folder.glob("*/seed-*") for each in _of_run(run)}


def _of_run(folder: Path) -> Iterator[Mention]:
    yield from (Mention("run", each) for each in ("group", "jobType", "displayName"))
    for record in wandb_records(folder):
        kind = record["type"]
        if kind == "history":
            # Of a picture there are several values.
            names = [name.partition("._type")[0] for name in record[kind]["item"]]
        elif kind == "summary":
            names = list(record[kind].get("update", {}))
        elif kind == "run":
            assert record[kind]["run_group"] == folder.parents[1].name
            assert record[kind]["job_type"] == folder.parent.name
            kind, names = "config", list(_dotted(record[kind]["config"]["update"]))
        else:
            continue
        yield from (Mention(kind, name) for name in names)


def _dotted(config: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _dotted(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"


@pytest.mark.parametrize("experiment", ["speech", "documents"])
def test_every_name_in_it_is_one_that_a_run_has_logged(
    experiment: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(experiment)
    known = at_wandb(folder)
    for spec in (workspace_of(folder), report_of(folder)[0]):
        mentioned = mentions_of(spec)
        assert mentioned <= known
        assert {each.kind for each in mentioned} == {"history", "summary", "config", "run"}


def test_a_workspace_is_of_the_experiments_runs_by_variant(documents: Path) -> None:
    section = workspace_of(documents)["spec"]["section"]
    (runs,) = section["runSets"]
    (only,) = runs["filters"]["filters"]
    assert (only["key"], only["op"], only["value"]) == (
        {"section": "run", "name": "group"},
        "=",
        "documents",
    )
    assert runs["grouping"] == [{"section": "run", "name": "jobType"}]
    assert section["settings"]["xAxis"] == "step"
    assert section["settings"]["shouldAutoGeneratePanels"] is False


def test_curves_and_bars_are_means_over_the_runs_of_a_variant(documents: Path) -> None:
    panels = panels_of(workspace_of(documents))
    grouped = [panel for panel in panels if "groupBy" in panel["config"]]
    assert {panel["viewType"] for panel in grouped} == {"Run History Line Plot", "Bar Chart"}
    for panel in grouped:
        assert panel["config"]["groupBy"] == "jobType"
        assert (panel["config"]["groupAgg"], panel["config"]["groupArea"]) == ("mean", "minmax")


def test_documents_have_rouge_and_no_latency(documents: Path) -> None:
    titles = titles_of(workspace_of(documents))
    assert {"test/exact_match", "ROUGE-1", "ROUGE-2", "ROUGE-Lsum"} <= set(titles)
    assert {"val/exact_match", "pictures/word-alignments", "tables/predictions"} <= set(titles)
    assert not [title for title in titles if "atency" in title]


def test_speech_has_latency_once_a_word_was_right_and_no_rouge(
    speech: Path, copied_speech: Path
) -> None:
    assert not [title for title in titles_of(workspace_of(speech)) if "atency" in title]
    path = copied_speech / "mocha_w2/seed-0/result.json"
    content = json.loads(path.read_text())
    for name in ("test/latency_median", "test/latency_p90"):
        content["metrics"][name]["value"] = 80.0
    path.write_text(json.dumps(content))
    spec = workspace_of(copied_speech)
    titles = titles_of(spec)
    assert {"Latency, median (ms)", "Latency of 90 % of the symbols (ms)"} <= set(titles)
    # Of the runs as they were: it is logged, and is no number.
    assert mentions_of(spec) <= at_wandb(speech)
    assert not [title for title in titles if "ROUGE" in title]


def test_of_ctc_alone_there_is_nothing_of_attention(copied_speech: Path) -> None:
    shutil.rmtree(copied_speech / "mocha_w2")
    assert titles_of(workspace_of(copied_speech)) == [
        *("val/wer", "train/loss", "val/loss"),
        *("test/wer", "test/wer, every run", "test/wer, every run by variant"),
        "tables/predictions",
    ]


def test_w_and_r_lead_to_the_score_beside_what_else_differs(documents: Path) -> None:
    panels = panels_of(workspace_of(documents))
    title = "test/exact_match by what variants differ in"
    (panel,) = [each for each in panels if each["config"].get("chartTitle") == title]
    columns = panel["config"]["columns"]
    assert [(each["accessor"], each.get("displayName")) for each in columns] == [
        ("config:variant.value", None),
        ("config:attention.value.chunk_size", "w"),
        ("config:attention.value.offset", "r"),
        ("config:attention.value.class", None),
        ("summary:test/exact_match", None),
    ]


def test_a_metric_without_a_number_has_no_panel_and_no_section(documents: Path) -> None:
    nothing: dict[str, Any] = {"scores": frozenset(), "curves": frozenset(), "tables": ()}
    spec = workspace_of(documents, **nothing)
    sections = spec["spec"]["section"]["panelBankConfig"]["sections"]
    assert [each["name"] for each in sections] == ["Alignments"]


def test_a_report_says_what_the_experiments_own_report_says_and_how_to_make_it_again(
    documents: Path,
) -> None:
    spec, tables = report_of(documents)
    assert spec["displayName"] == "documents"
    _, words, *others = spec["spec"]["blocks"]
    page = markdown(tables)
    for paragraph in words["content"].split("\n\n"):
        assert paragraph in page
    verdict, table, origin = (
        words["content"].index(part)
        for part in ("no t-test of mocha_w2", "| variant", "Reproduce: mocha-lightning run")
    )
    assert verdict < table < origin
    kinds = [each["type"] for each in others]
    assert kinds == [*["heading", "panel-grid"] * (len(kinds) // 2), "paragraph"]
    assert titles_of(spec) == titles_of(workspace_of(documents))


def test_each_run_of_a_report_is_a_run_and_no_group(documents: Path) -> None:
    spec, _ = report_of(documents)
    grids = [each for each in spec["spec"]["blocks"] if each["type"] == "panel-grid"]
    for grid in grids:
        (runs,) = grid["metadata"]["runSets"]
        assert runs["grouping"] == []
        assert [each["value"] for each in runs["filters"]["filters"]] == ["documents"]


def test_an_unfinished_experiment_says_so_at_the_top(copied: Path) -> None:
    shutil.rmtree(copied / "soft")
    words = report_of(copied)[0]["spec"]["blocks"][1]["content"]
    assert words.startswith("**INCOMPLETE: 1 of 2 runs are missing: soft seed 0.**")


def test_a_name_that_wandb_does_not_take_is_told_or_written_otherwise(documents: Path) -> None:
    spec = workspace_of(documents, experiment="w2+w4")
    assert spec["displayName"] == "w2-w4"
    (runs,) = spec["spec"]["section"]["runSets"]
    assert runs["filters"]["filters"][0]["value"] == "w2+w4"
    with pytest.raises(UserError, match="w=2: W&B cannot filter runs by a name with '='"):
        workspace_of(documents, experiment="w=2")
