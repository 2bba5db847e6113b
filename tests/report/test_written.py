"""What a written report says of the runs that it was made of."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.report import write_report
from mocha_lightning.report.comparing import compare_variants
from mocha_lightning.report.content import build_report
from mocha_lightning.report.reading import read_runs
from mocha_lightning.report.written import read_report

from .conftest import PUBLISHED, Folder, diverge


@pytest.fixture
def report(runs: Folder, tmp_path: Path) -> Path:
    """The folder of a report that has something of everything."""
    runs.experiment(published=PUBLISHED, comparisons=[["mocha_w2", "soft"]])
    runs.remove("soft", 2)
    runs.change("mocha_w2", 1, diverge(300))
    write_report(runs.path, tmp_path / "reports")
    return tmp_path / "reports/tiny"


def test_a_report_made_of_it_says_the_same(runs: Folder, report: Path) -> None:
    assert repr(build_report(read_report(report))) == repr(build_report(read_runs(runs.path)))


def test_its_variants_are_compared_as_the_runs_are(runs: Folder, tmp_path: Path) -> None:
    write_report(runs.path, tmp_path / "reports")
    report = tmp_path / "reports/tiny"
    for metric in (None, "loss"):
        assert compare_variants(report, "mocha_w2", "soft", metric) == compare_variants(
            runs.path, "mocha_w2", "soft", metric
        )


def without_runs(content: dict[str, Any]) -> None:
    content["runs"] = []


def of_a_stranger(content: dict[str, Any]) -> None:
    content["comparisons"][0]["a"] = "mild"


def judged_by_another(content: dict[str, Any]) -> None:
    content["metric"]["name"] = "test/loss"


def without_metric(content: dict[str, Any]) -> None:
    del content["metric"]


def with_a_run_twice(content: dict[str, Any]) -> None:
    content["runs"].append(content["runs"][0])


def with_a_run_that_is_missing(content: dict[str, Any]) -> None:
    content["missing"].append(["mocha_w2", 0])


def without_a_run_of_nobody(content: dict[str, Any]) -> None:
    content["missing"].append(["mild", 0])


def with_a_variant_twice(content: dict[str, Any]) -> None:
    content["variants"].append(content["variants"][0])


def against_itself(content: dict[str, Any]) -> None:
    content["comparisons"][0].update(a="soft", b="soft")


def against_the_same_again(content: dict[str, Any]) -> None:
    first = content["comparisons"][0]
    content["comparisons"].append({"a": first["b"], "b": first["a"]})


def of_no_schema(content: dict[str, Any]) -> None:
    content["schema"] = 0


def of_different_data(content: dict[str, Any]) -> None:
    content["runs"][0]["data"]["sha256"] = "0" * 64


def below_nothing(content: dict[str, Any]) -> None:
    content["runs"][0]["metrics"]["test/wer"]["value"] = -5.0


def with_a_run_from_later(content: dict[str, Any]) -> None:
    content["runs"][0]["schema"] = 99


def from_later(content: dict[str, Any]) -> None:
    content["schema"] = 99
    del content["runs"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (without_runs, "key runs: there is none: "),
        (of_a_stranger, "key variants: 'mild' is not there: "),
        (judged_by_another, "is not judged by test/loss: "),
        (without_metric, "key metric: Field required: "),
        (with_a_run_twice, "is there, or missing, more than once: "),
        (with_a_run_that_is_missing, "mocha_w2 seed 0 is there, or missing, more than once: "),
        (without_a_run_of_nobody, "key variants: 'mild' is not there: "),
        (with_a_variant_twice, "key variants: one is there twice: "),
        (against_itself, "key comparisons: compares soft with itself: "),
        (against_the_same_again, "key comparisons: .* against .* is there twice: "),
        (of_no_schema, "key schema: "),
        (of_different_data, "such runs cannot share a mean: "),
        (below_nothing, "-5 is not from 0 to inf: "),
        (with_a_run_from_later, "its schema 99 is newer than"),
        (from_later, "its schema 99 is newer than"),
    ],
)
def test_one_that_contradicts_itself_is_a_line(
    spoil: Callable[[dict[str, Any]], None], said: str, report: Path
) -> None:
    path = report / "results.json"
    content = json.loads(path.read_text())
    spoil(content)
    path.write_text(json.dumps(content))
    with pytest.raises(UserError, match=said) as caught:
        read_report(report)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_so_is_one_that_is_cut_off(report: Path) -> None:
    path = report / "results.json"
    path.write_text(path.read_text()[:1000])
    with pytest.raises(UserError, match="not complete JSON"):
        read_report(report)


def test_a_link_to_one_has_its_own_name(report: Path) -> None:
    link = report.parent / "again"
    link.symlink_to(report)
    assert read_report(link).experiment == "again"
