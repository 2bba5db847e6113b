"""``reports/readme.py``: README's tables, and README as it was where they cannot be put there."""

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
        (README.replace("demo: 2", "other: 2"), "other/table.md cannot be read"),
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
