"""What a dry run says, and that it does nothing."""

import io
from pathlib import Path
from typing import Any

from rich.console import Console

from experiment.conftest import ExperimentFile
from experiment.running import MECHANISM
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.definition import load_experiment
from mocha_lightning.experiment.dry_run import dry_run

WIDE = {**MECHANISM, "init_args": {"wide": True}}
UNPREPARED = {"class_path": "experiment.toy.UnpreparedData"}
VARIANTS = {"plain": {"task.mechanism": MECHANISM}, "wide": {"task.mechanism": WIDE}}


def said(
    file: Path,
    folder: Path,
    variants: list[str] | None = None,
    settings: dict[str, Any] | None = None,
) -> tuple[str, str]:
    """What is printed, and the error that ends it."""
    experiment = load_experiment(file, settings=settings)
    text, problem = io.StringIO(), ""
    try:
        dry_run(
            experiment,
            experiment.runs("cmd", variants),
            folder / "runs/toy",
            ["toy.yaml", "--set", "data.size=big one"],
            Console(file=text, width=100),
        )
    except UserError as error:
        problem = str(error)
    return text.getvalue(), problem


def test_it_prints_the_model_and_what_each_part_of_each_variant_is_made_of(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    text, problem = said(toy_file(variants=VARIANTS, comparisons=[], notes=["As told."]), tmp_path)
    assert problem == ""
    assert "(shared): Linear(in_features=3, out_features=4, bias=True)" in text
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}
    assert rows["shared"] == ["16", "16"]
    assert rows["net.3"] == ["5", "5"]
    assert rows["mechanism"] == ["3", "192"]
    assert rows["plain"] == ["task.mechanism:", "Mechanism()", "32"]
    # 221 / 32 = 6.90625
    assert rows["wide"] == ["task.mechanism:", "Mechanism(wide=true)", "221", "(+590.62", "%)"]
    assert "As told." in text
    assert text.rstrip().endswith(f"4 to do, in {tmp_path / 'runs/toy'}")
    assert not (tmp_path / "runs").exists()


def test_it_looks_at_no_variants_but_those_that_are_wanted(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    text, _ = said(toy_file(variants=VARIANTS, comparisons=[]), tmp_path, ["wide"])
    assert "plain" not in text
    assert "221" in text


def test_data_that_are_not_prepared_are_left_so(toy_file: ExperimentFile, tmp_path: Path) -> None:
    text, problem = said(toy_file(data=UNPREPARED), tmp_path)
    assert problem == ""
    assert "toy: 4 runs of 20 steps (seeds 0, 1). Their data are not prepared yet: " in text
    assert "`mocha-lightning prepare toy.yaml --set 'data.size=big one'`" in text
    assert text.count("Of these models three numbers a point are presumed.\n") == 1


def test_data_that_are_not_there_are_told_after_all_else(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    text, problem = said(toy_file(data={**UNPREPARED, "init_args": {"place": "away"}}), tmp_path)
    assert problem == ""
    assert "task.mechanism: Noisy()" in text
    assert text.endswith(
        "toy: 4 runs of 20 steps (seeds 0, 1). Data not there: away: no such folder\n"
    )


def test_data_that_were_given_and_are_bad_are_an_error(
    toy_file: ExperimentFile, tmp_path: Path
) -> None:
    file = toy_file(data={**UNPREPARED, "init_args": {"place": str(tmp_path)}})
    text, problem = said(file, tmp_path)
    assert problem == f"{tmp_path}: no such folder"  # what the corpus says of any but its own
    assert "task.mechanism: Noisy()" in text
    _, problem = said(file, tmp_path, settings={"data.place": "away"})
    assert problem == "away: no such folder"
