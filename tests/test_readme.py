"""``reports/readme.py``: the tables of pages, which stay as they were where it cannot put them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "reports" / "readme.py"
TABLES = "# demo\n\n| a |\n|--|\n| 1 |\n\nText.\n\n| b |\n|--|\n| 2 |\n\nReproduce: this\n"
README = "Before\n\n<!-- demo: 2 -->\nold\n<!-- end -->\n\nAfter\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    published = tmp_path / "reports" / "published" / "demo"
    published.mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "reports")
    (published / "table.md").write_text(TABLES)
    return tmp_path


def fill(project: Path, readme: str, *words: str) -> tuple[int, str, str]:
    """The exit code, what is said and what README is then."""
    (project / "README.md").write_bytes(readme.encode())
    script = [sys.executable, str(project / "reports" / "readme.py"), *words]
    ended = subprocess.run(script, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr, (project / "README.md").read_bytes().decode()


def test_the_tables_asked_for_take_the_place_of_the_old_ones(project: Path) -> None:
    code, said, readme = fill(project, README)
    assert (code, said) == (0, "")
    assert readme == (
        "Before\n\n<!-- demo: 2 -->\n\n| b |\n|--|\n| 2 |\n\nReproduce: this\n\n<!-- end -->\n\n"
        "After\n"
    )
    assert fill(project, readme, "--check") == (0, "", readme)


def test_a_figure_of_the_page_is_shown_from_where_readme_is(project: Path) -> None:
    with (project / "reports/published/demo/table.md").open("a") as page:
        page.write("\n![A picture](figures/a-b.png)\n\nReproduce: that\n")
    code, said, readme = fill(project, README.replace("demo: 2", "demo: 1 a-b.png"))
    assert (code, said) == (0, "")
    assert (
        "| 1 |\n\n![A picture](reports/published/demo/figures/a-b.png)\n\nReproduce: that\n"
    ) in readme


def test_chosen_columns_come_in_the_order_asked_for(project: Path) -> None:
    table = "| a (x) | p, b |\n|:--|--:|\n| 1 | 2 |\n\nReproduce: this\n"
    (project / "reports/published/demo/table.md").write_text(table)
    code, said, readme = fill(project, README.replace("demo: 2", "demo: 1 [p, b | a (x)] 1"))
    assert (code, said) == (0, "")
    chosen = "| p, b | a (x) |\n|--:|:--|\n| 2 | 1 |"
    assert f"{chosen}\n\n| a (x) | p, b |\n" in readme
    assert fill(project, readme, "--check") == (0, "", readme)


def test_pages_of_docs_are_filled_too_and_show_figures_from_where_they_are(project: Path) -> None:
    with (project / "reports/published/demo/table.md").open("a") as report:
        report.write("\n![A picture](figures/a.png)\n\nReproduce: that\n")
    page = project / "docs" / "results.md"
    page.parent.mkdir()
    page.write_text(README.replace("demo: 2", "demo: 1 a.png"))
    before = page.read_text()
    code, said, _ = fill(project, "No tables.\n", "--check")
    assert (code, page.read_text()) == (1, before)
    assert said.startswith("error: docs/results.md: not the tables of reports/published")
    assert fill(project, "No tables.\n") == (0, "", "No tables.\n")
    assert "![A picture](../reports/published/demo/figures/a.png)" in page.read_text()
    assert fill(project, "No tables.\n", "--check") == (0, "", "No tables.\n")


def test_a_page_that_cannot_be_filled_leaves_the_others_as_they_are(project: Path) -> None:
    page = project / "docs" / "results.md"
    page.parent.mkdir()
    page.write_text(README.replace("demo: 2", "demo: 9"))
    code, said, readme = fill(project, README)
    assert (code, readme) == (1, README)
    assert f"{page}:3: asks for table 9" in said


def test_what_is_still_to_be_run_has_no_figures_until_it_is_published(project: Path) -> None:
    code, said, readme = fill(project, README.replace("demo: 2", "other: 2 if published"))
    assert (code, said) == (0, "")
    assert readme == (
        "Before\n\n<!-- other: 2 if published -->\n\n"
        "(Not published yet: run other, then `make published`.)\n\n<!-- end -->\n\nAfter\n"
    )
    published = project / "reports" / "published"
    shutil.copytree(published / "demo", published / "other")
    assert fill(project, readme, "--check")[0] == 1
    assert "| 2 |\n\nReproduce: this\n" in fill(project, readme)[2]


def test_lines_outside_keep_their_ends_and_their_comments(project: Path) -> None:
    around = "<!-- a note -->\r\n" + README.replace("Before\n", "Before\r\n")
    readme = fill(project, around)[2]
    assert readme.startswith("<!-- a note -->\r\nBefore\r\n\n<!-- demo: 2 -->\n\n| b |")


@pytest.mark.parametrize(
    ("readme", "said"),
    [
        (README.replace("<!-- end -->", "") + README, "3: the tables asked for here have no"),
        (README.replace("<!-- end -->", ""), "3: the tables asked for here have no"),
        (README.replace("demo: 2", "demo: 1, 2"), "5: <!-- end --> ends no tables"),
        (README.replace("demo: 2", "demo:"), "5: <!-- end --> ends no tables"),
        (README + "<!-- end -->\n", "8: <!-- end --> ends no tables"),
        (README.replace("demo: 2", "demo: 0"), "3: asks for table 0"),
        (README.replace("demo: 2", "demo: 2 3"), "3: asks for table 3"),
        (README.replace("demo: 2", "demo: 2 [c]"), "3: asks for the column 'c', and there is b"),
        (README.replace("demo: 2", "demo: [b]"), "5: <!-- end --> ends no tables"),
        (README.replace("demo: 2", "other: 2"), "other/table.md cannot be read"),
        (README.replace("demo: 2", "demo: 2 a.png"), "3: asks for the figure a.png"),
        (README.replace("demo: 2", "demo: 3 if published"), "3: asks for table 3"),
        (README.replace("demo: 2", "demo: 2 if it is"), "5: <!-- end --> ends no tables"),
    ],
)
def test_what_is_asked_unclearly_is_a_line_and_changes_nothing(
    project: Path, readme: str, said: str
) -> None:
    for words in ((), ("--check",)):
        code, error, after = fill(project, readme, *words)
        assert code == 1
        assert error.startswith("error: ")
        assert error.count("\n") == 1
        assert said in error
        assert after == readme


@pytest.mark.parametrize("table", [b"", b"# demo\nnothing yet\n", b"\xff"])
def test_a_report_without_the_tables_is_a_line(project: Path, table: bytes) -> None:
    (project / "reports/published/demo/table.md").write_bytes(table)
    code, error, after = fill(project, README)
    assert (code, error.count("\n"), after) == (1, 1, README)
