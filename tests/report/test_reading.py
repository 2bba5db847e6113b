"""Reading a folder of runs: what is there, what is missing, what cannot be trusted."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.report.reading import read_runs
from mocha_lightning.report.results import MetricChoice, RunName

from .conftest import Folder, by_ctc, put, result


def test_runs_come_in_the_order_of_the_experiment_file(runs: Folder) -> None:
    read = read_runs(runs.path)
    assert read.experiment == "tiny"
    assert [(run.variant, run.seed) for run in read] == [
        (variant, seed) for variant in ("soft", "mocha_w2") for seed in (0, 1, 2)
    ]
    assert read.missing == ()
    assert read.results["mocha_w2"][1].metrics["test/undecided"].value == 0.125
    assert read.results["soft"][0].departures[0].paper == 0.001


def test_missing_runs_are_named(runs: Folder) -> None:
    runs.remove("soft", 0)
    runs.remove("mocha_w2", 2)
    assert read_runs(runs.path).missing == (("soft", 0), ("mocha_w2", 2))


def test_a_variant_without_a_finished_run_is_kept(runs: Folder) -> None:
    for seed in range(3):
        runs.remove("soft", seed)
    assert read_runs(runs.path).results["soft"] == ()


def test_runs_that_the_experiment_no_longer_names_are_left_out_and_named(runs: Folder) -> None:
    runs.experiment(seeds=[0, 1])
    read = read_runs(runs.path)
    assert len(list(read)) == 4
    assert read.unexpected == (("mocha_w2", 2), ("soft", 2))


def test_an_experiment_without_a_finished_run_says_what_does_its_runs(
    runs: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variant in ("soft", "mocha_w2"):
        for seed in range(3):
            runs.remove(variant, seed)
    with pytest.raises(UserError) as error:
        read_runs(runs.path)
    assert str(error.value) == (
        f"{runs.path}: none of its 6 runs is finished yet: do them, or go on with them, by "
        f"`mocha-lightning run {runs.path}/experiment.yaml --name tiny --runs {runs.path.parent}`"
    )
    monkeypatch.chdir(runs.path.parent.parent)
    with pytest.raises(UserError, match=r"run runs/tiny/experiment.yaml --name tiny`$"):
        read_runs(Path("runs/tiny"))


def test_an_experiment_that_never_began_says_how_to_begin_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "absent"
    message = (
        f"{folder}: no experiment was begun here (there is no experiment.yaml): begin it by "
        "`mocha-lightning run` with its file"
    )
    with pytest.raises(UserError) as error:
        read_runs(folder)
    assert str(error.value) == message
    folder.mkdir(parents=True)
    with pytest.raises(UserError) as error:
        read_runs(folder)
    assert str(error.value) == message
    for other in ("second", "first"):
        (folder.parent / other).mkdir()
        (folder.parent / other / "experiment.yaml").touch()
    with pytest.raises(UserError) as error:
        read_runs(folder)
    assert str(error.value) == f"{message}, or give the name of one that was: first, second"


@pytest.mark.parametrize(
    ("name", "in_per_cent"),
    [
        ("test/wer", True),
        ("test/wer_expected", True),
        ("test/rougeL", True),
        ("test/loss", False),
        ("test/undecided", False),
    ],
)
def test_word_error_rates_and_rouge_are_in_per_cent(name: str, in_per_cent: bool) -> None:
    assert MetricChoice(name, "min").in_per_cent is in_per_cent


def test_null_is_not_a_number(runs: Folder) -> None:
    runs.change("soft", 1, put("metrics.test/wer.value", None))
    value = read_runs(runs.path).results["soft"][1].metrics["test/wer"].value
    assert value != value


UNDECIDED = "key metrics.test/undecided.value: 1.5 is not from 0 to 1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("schema", 2), "its schema 2 is newer than the 1 that this version knows: update"),
        (put("experiment", "other"), "key experiment: 'other'"),
        (put("variant", "soft"), "key variant: 'soft'"),
        (put("seed", 7), "key seed: 7"),
        (put("metric.mode", "max"), "key metric: "),
        (put("metric.mode", "least"), "key metric.mode: "),
        (put("metrics.test/wer.value", "3.1"), "key metrics.test/wer.value: "),
        (put("metrics.test/wer.value", math.inf), "key metrics.test/wer.value: "),
        (put("parameters", 2.5), "key parameters: "),
        (put("departures", [["key", 1]]), "key departures.0.2: "),
        (lambda content: content["provenance"].pop("commit"), "key provenance.commit: "),
        (lambda content: content["metrics"].pop("test/wer"), "key metrics.test/wer: missing"),
        (lambda content: content["metrics"].pop("test/undecided"), "key metrics: "),
        (put("config.trainer.max_steps", 7), "key config: {'trainer.max_steps': 7} where seed 0"),
        (put("sources", {"mine": "c0ffee"}), "key sources: {'mine': 'c0ffee'} where seed 0"),
        (put("parameters", 7), "key parameters: 7 where seed 0 of the same variant has 1025"),
        (put("data.sha256", "other"), "key data.sha256: other"),
        (put("metrics.test/wer.signature", "by hand"), "key metrics.test/wer.signature: by hand"),
        (put("schema", 0), "key schema: "),
        (put("metrics.test/wer.value", 1e300), "key metrics.test/wer.value: no score is so large"),
        (put("metrics.test/wer.value", -1.0), "key metrics.test/wer.value: -1 is not from 0 to "),
        (put("metrics.test/undecided", {"value": 1.5, "signature": "share of scans"}), UNDECIDED),
        (put("ended", "the loss was nan"), "key metrics.test/wer.value: 2.2, where the run ended"),
        (put("best_step", -1), "key best_step: "),
        (put("steps", 10**30), "key steps: "),
        (put("parameters", -1), "key parameters: "),
        (put("provenance.seconds", math.inf), "key provenance.seconds: "),
        (put("provenance.threads", -1), "key provenance.threads: "),
        (put("config", {}), "key config: task must be a class_path with init_args"),
        (put("config.task", {"class_path": 5}), "key config: task must be a class_path"),
        (put("config.data.init_args", []), "key config: data must be a class_path"),
        (put("config.trainer", {}), "key config: trainer must have its max_steps"),
    ],
)
def test_a_result_that_cannot_be_trusted_is_named_with_its_key(
    runs: Folder, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    runs.change("mocha_w2", 1, change)
    with pytest.raises(UserError) as error:
        read_runs(runs.path)
    assert f"{runs.file('mocha_w2', 1)}: {message}" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "spoilt",
    [b"", b'{"schema": 1, "experim', b"[1, 2]", b"null", b"\xff\xfe\x00", b"[" * 100_000],
    ids=["empty", "half", "list", "null", "no text", "deep"],
)
def test_a_spoilt_result_file_is_named(runs: Folder, spoilt: bytes) -> None:
    runs.file("soft", 0).write_bytes(spoilt)
    with pytest.raises(UserError, match=r"soft/seed-0/result.json: .*delete the file") as error:
        read_runs(runs.path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeds: [0", "not YAML"),
        ("", "experiment.yaml: "),
        ("seeds: [0]\nvariants: {}\n", "key metric: "),
        ("seeds: zero\nvariants: {}\nmetric: {name: a, mode: min}\n", "key seeds: "),
        ("seeds: 2021-13-45", "not YAML: month must be in 1..12"),
        ("[" * 5000, "not YAML: "),
        (
            "seeds: [0]\nvariants: {a: {}}\nmetric: {name: a, mode: min}\ncomparisons: [[a, b]]",
            "key comparisons.0: no variant is named 'b'",
        ),
    ],
)
def test_a_spoilt_experiment_file_is_named_with_its_key(
    runs: Folder, text: str, message: str
) -> None:
    (runs.path / "experiment.yaml").write_text(text)
    with pytest.raises(UserError, match=r"tiny/experiment.yaml: ") as error:
        read_runs(runs.path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": [0, 0, 1]}, "key seeds: 0 is there twice: each seed is one run"),
        ({"seeds": [0.0, 1]}, "key seeds.0: "),
        ({"seeds": [True]}, "key seeds.0: "),
        ({"seeds": ["0"]}, "key seeds.0: "),
        ({"seeds": [-1]}, "key seeds.0: "),
        ({"seeds": []}, "key seeds: "),
        ({"comparisons": [["soft", "soft"]]}, "key comparisons.0: compares soft with itself"),
        (
            {"comparisons": [["soft", "mocha_w2"], ["mocha_w2", "soft"]]},
            "key comparisons: mocha_w2 against soft is there twice",
        ),
        ({"name": "other"}, "key name: 'other', and this is the folder of 'tiny'"),
    ],
)
def test_an_experiment_file_that_is_edited_counts_no_run_twice(
    runs: Folder, changes: dict[str, Any], message: str
) -> None:
    runs.experiment(**changes)
    with pytest.raises(UserError) as error:
        read_runs(runs.path)
    assert f"{runs.path / 'experiment.yaml'}: {message}" in str(error.value)
    assert "mend it, or remove" in str(error.value)


def test_a_folder_of_another_name_is_no_run_of_that_seed(runs: Folder) -> None:
    runs.file("soft", 1).parent.rename(runs.path / "soft/seed-01")
    assert read_runs(runs.path).missing == (RunName("soft", 1),)


@pytest.mark.parametrize("what", ["soft", "soft/seed-1", "soft/seed-1/result.json"])
def test_what_cannot_be_looked_into_is_no_missing_run(runs: Folder, what: str) -> None:
    # As on a disk that is not mounted; a folder without permission is the same to whoever has none.
    path = runs.path / what
    path.rename(runs.path.parent / "elsewhere")
    path.symlink_to(runs.path.parent / "not-mounted")
    with pytest.raises(UserError) as error:
        read_runs(runs.path)
    assert str(error.value).startswith(f"{path}: No such file or directory: make it readable")


def test_other_files_beside_the_runs_are_nobodys_business(runs: Folder) -> None:
    (runs.path / ".#experiment.yaml").symlink_to("somebody@somewhere")
    (runs.path / "soft" / "notes.txt").touch()
    assert read_runs(runs.path).missing == ()


def test_keys_that_a_later_version_may_add_are_ignored(runs: Folder) -> None:
    content = result("soft", 0, 4.0) | {"host": "elsewhere"}
    runs.file("soft", 0).write_text(json.dumps(content))
    assert len(list(read_runs(runs.path))) == 6


def test_another_wording_of_the_same_variant_is_the_same(runs: Folder) -> None:
    runs.change("mocha_w2", 1, put("differences", {"task.attention": "put otherwise"}))
    runs.change("mocha_w2", 2, put("config.data.init_args.cache_dir", "moved"))
    assert len(read_runs(runs.path).results["mocha_w2"]) == 3


def test_variants_of_different_bases_are_no_comparison(runs: Folder) -> None:
    for seed in range(3):
        runs.change("mocha_w2", seed, put("config.data.init_args.batch_size", 8))
    said = r"between it and soft differs what no variant changes \(data\.batch_size was 16 and is 8"
    with pytest.raises(UserError, match=said):
        read_runs(runs.path)


def test_a_variant_of_another_class_shares_the_arguments_that_both_have(runs: Folder) -> None:
    runs.change_all("soft", by_ctc)
    assert len(list(read_runs(runs.path))) == 6
    runs.change_all("soft", put("config.task.init_args.layers", 2))
    said = r"between it and soft differs what no variant changes \(task\.layers was 2 and is 1\)"
    with pytest.raises(UserError, match=said):
        read_runs(runs.path)


def test_another_class_that_no_variant_names_is_refused(runs: Folder) -> None:
    runs.change_all("soft", by_ctc)
    attention = {"task.attention": {"class_path": "mocha_lightning.attention.SoftAttention"}}
    runs.change_all("soft", put("differences", attention))
    with pytest.raises(UserError, match=r"no variant changes \(task\.class_path was"):
        read_runs(runs.path)


@pytest.mark.parametrize(
    ("name", "in_per_cent"),
    [
        *((f"test/{name}", True) for name in ("wer", "wer_greedy", "rouge1", "rougeLsum_expected")),
        *(("test/exact_match", True), ("val/exact_match_expected", True)),
        *(("test/loss", False), ("test/length_cap", False)),
    ],
)
def test_which_metrics_are_in_per_cent(name: str, in_per_cent: bool) -> None:
    assert MetricChoice(name, "min").in_per_cent == in_per_cent
