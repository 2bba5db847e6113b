"""The results that the project publishes, and what README and docs say of them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[1]
PUBLISHED = PROJECT / "reports" / "published"
REPORTS = sorted(path.parent for path in PUBLISHED.glob("*/results.json"))


def results(report: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((report / "results.json").read_text())
    return content


def test_readme_and_docs_have_the_tables_that_are_published() -> None:
    script = [sys.executable, str(PROJECT / "reports" / "readme.py"), "--check"]
    ended = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "<!-- wsj-small: " in (PROJECT / "README.md").read_text()


def test_the_main_comparison_has_the_papers_eight_runs() -> None:
    compared = {row["variant"]: row["n"] for row in results(PUBLISHED / "wsj-small")["variants"]}
    assert {name: compared[name] for name in ("soft", "monotonic", "mocha_w2")} == {
        "soft": 8,
        "monotonic": 8,
        "mocha_w2": 8,
    }


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_every_number_leads_to_a_command_a_commit_and_a_data_hash(report: Path) -> None:
    content = results(report)
    origin = (report / "table.md").read_text().splitlines()[-1]
    assert content["runs"]
    for run in content["runs"]:
        made = run["provenance"]
        assert re.fullmatch("[0-9a-f]{40}", made["commit"])
        assert made["dirty"] is False
        assert re.fullmatch("[0-9a-f]{64}", run["data"]["sha256"])
        for part in (made["command"], made["commit"][:12], run["data"]["sha256"][:12]):
            assert part in origin


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_a_report_is_whole(report: Path) -> None:
    content = results(report)
    assert not content["missing"]
    assert "INCOMPLETE" not in (report / "table.md").read_text()
    assert (report / "index.html").is_file()
    for name in re.findall(r"\((figures/[^)]+)\)", (report / "table.md").read_text()):
        assert (report / name).is_file()


@pytest.mark.parametrize(
    "page", ["aa/aa.md", "parameters/table.md", "schematic/schematic.md", "index.html"]
)
def test_a_page_beside_the_reports_ends_with_what_makes_it_again(page: str) -> None:
    lines = re.sub(r"<[^>]*>", "", (PUBLISHED / page).read_text()).rstrip().splitlines()
    assert re.match(
        r"Reproduce: mocha-lightning .* --reports reports/published "
        r"\(commit [0-9a-f]{12} without uncommitted changes; python 3\.",
        lines[-1],
    )


def test_the_index_has_every_report() -> None:
    index = (PUBLISHED / "index.html").read_text()
    assert {f'href="{report.name}/index.html"' for report in REPORTS} <= set(
        re.findall(r'href="[^"#]+/index.html"', index)
    )
