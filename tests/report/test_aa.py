"""One variant against itself."""

from pathlib import Path

import numpy as np
import pytest

from mocha_lightning.cli import main
from mocha_lightning.errors import UserError
from mocha_lightning.report import write_report
from mocha_lightning.report.aa import build_aa, sentences, write_aa
from mocha_lightning.report.statistics import compare

from .conftest import EXPERIMENT, Folder, put, result


def many(runs: Folder, values: list[float]) -> Folder:
    """The experiment with soft alone, and a run for each value."""
    runs.experiment(
        variants={"soft": EXPERIMENT["variants"]["soft"]},
        seeds=list(range(len(values))),
        comparisons=[],
    )
    for seed, value in enumerate(values):
        runs.write(result("soft", seed, value))
    return runs


def test_the_command_says_what_it_found_and_where_it_is(
    runs: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = many(runs, by_chance(8)).path
    with pytest.raises(SystemExit) as ended:
        main(["aa", str(folder), "--side", "4", "--reports", str(tmp_path / "reports")])
    assert ended.value.code == 0
    *said, where = capsys.readouterr().out.splitlines()
    assert said == list(sentences(build_aa(folder, 4)))
    assert Path(where.removeprefix("Report: ")).is_file()


def test_a_side_of_one_run_is_refused(runs: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["aa", str(runs.path), "--side", "1"])
    assert "--side: a comparison needs at least 2 runs" in capsys.readouterr().err


def by_chance(number: int) -> list[float]:
    return np.random.default_rng(5).normal(5, 1, number).tolist()


def test_no_run_is_in_two_comparisons(runs: Folder) -> None:
    values = by_chance(21)
    found = build_aa(many(runs, values).path, side=4)
    assert [(trial.seeds_a, trial.seeds_b) for trial in found.trials] == [
        ((0, 1, 2, 3), (4, 5, 6, 7)),
        ((8, 9, 10, 11), (12, 13, 14, 15)),
    ]
    assert found.left == 5
    said = sentences(found)[0]
    assert "2 comparisons of 4 seeds against 4 others, no run in two of them. The last 5" in said
    said = sentences(build_aa(many(runs, values[:5]).path, side=2))[0]
    assert "1 comparison of 2 seeds" in said
    assert said.endswith(" The last run is in none, too few for another.")
    assert found.trials[1].comparison == compare(values[8:12], values[12:16])
    assert found.p_values("Welch's t") == sorted(trial.comparison.welch_p for trial in found.trials)


def test_chance_is_told_from_a_difference(runs: Folder) -> None:
    fair = by_chance(160)
    assert all(
        "as chance would have it" in said
        for said in sentences(build_aa(many(runs, fair).path, 4))[1:]
    )
    # The first four seeds of each eight are better: what a broken seed would do.
    broken = [value + 3 * (seed % 8 < 4) for seed, value in enumerate(fair)]
    assert all(
        "NOT as chance" in said for said in sentences(build_aa(many(runs, broken).path, 4))[1:]
    )


def test_few_comparisons_are_no_sign_of_health(runs: Folder) -> None:
    for said in sentences(build_aa(many(runs, by_chance(16)).path, 4))[1:]:
        assert "0.1 are expected" in said
        assert said.endswith("of fewer than 10 comparisons, which tell little.")
    for said in sentences(build_aa(many(runs, by_chance(8)).path, 4))[1:]:
        assert "0.05 are expected" in said


def test_runs_that_do_not_vary_are_no_test(runs: Folder) -> None:
    said = sentences(build_aa(many(runs, [1.0] * 4).path, 2))
    assert said[1] == "Student's t: no test, as no runs vary."


def test_what_is_written_can_be_read_again(runs: Folder, tmp_path: Path) -> None:
    found = build_aa(many(runs, by_chance(16)).path, 4)
    folder = write_aa(found, "Reproduce: this (commit a)", tmp_path)
    assert folder == tmp_path / "tiny"
    assert (folder / "figures/aa.png").read_bytes().startswith(b"\x89PNG")
    header, *rows = (folder / "aa.csv").read_text().splitlines()
    assert header == "seeds_a,seeds_b,difference,student_p,welch_p,permutation_p"
    assert len(rows) == 2
    page = (folder / "aa.md").read_text()
    assert "![p values](figures/aa.png)" in page
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    header, _, *trials = filter(None, rows)
    assert header[3:] == ["Student's t (p)", "Welch's t (p)", "permutation (p)"]
    for cells, trial in zip(trials, found.trials, strict=True):
        assert cells[0] == ", ".join(map(str, trial.seeds_a))
        assert cells[3] == f"{trial.comparison.student_p:.2g}"
        assert cells[4] == f"{trial.comparison.welch_p:.2g}"
    assert page.endswith(
        "\n\nRuns: mocha-lightning run experiments/tiny.yaml (commit abcdef012345; data sha256 "
        "d47ad47ad47a)\n\nReproduce: this (commit a)\n"
    )


def test_the_runs_of_a_report_are_as_good(runs: Folder, tmp_path: Path) -> None:
    many(runs, by_chance(16))
    write_report(runs.path, tmp_path)
    assert build_aa(tmp_path / "tiny", 4) == build_aa(runs.path, 4)


def test_what_cannot_be_compared_is_a_line(runs: Folder) -> None:
    with pytest.raises(UserError, match="several variants: name one of soft, mocha_w2"):
        build_aa(runs.path, 4)
    with pytest.raises(UserError, match="no variant is named 'mild'"):
        build_aa(runs.path, 4, "mild")
    with pytest.raises(UserError, match=r"3 runs of soft are finished, and .* takes 8"):
        build_aa(runs.path, 4, "soft")
    many(runs, by_chance(4))
    runs.change("soft", 1, put("metrics.test/wer.value", None))
    with pytest.raises(UserError, match="without a finite value"):
        build_aa(runs.path, 2)
