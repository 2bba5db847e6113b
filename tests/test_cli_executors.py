"""The options that say where runs are done."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import give
from experiment.running import TOY, toy_spec, write_toy

from mocha_lightning.cli import executing, run, sweep
from mocha_lightning.cli.executing import check_executor, executor_of
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors.options import chosen


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--partition", "gpu"], "--partition: is for --executor slurm, not process: leave it"),
        (["--cpus-per-run", "2"], "--cpus-per-run: is for --executor ray or slurm, not process"),
        (["--executor", "slurm", "--address", "a:1"], "--address: is for --executor ray, not slu"),
        (["--executor", "serial", "--jobs", "2"], "--jobs: serial does one run at a time: leave"),
        (["--executor", "ray", "--cpus-per-run", "0"], "--cpus-per-run: a run needs some of a co"),
        (["--executor", "ray", "--cpus-per-run", "1e-9"], "--cpus-per-run 1e-09: give at least 0"),
        (["--executor", "ray", "--gpus-per-run", "1.5"], "--gpus-per-run 1.5: Ray gives a part of"),
        (["--executor", "slurm", "--gpus-per-run", "0.5"], "--gpus-per-run 0.5: SLURM gives whole"),
        (
            ["--executor", "slurm", "--cluster", "local", "--gpus-per-run", "1"],
            "--gpus-per-run: with --cluster local the jobs share all GPUs of this machine: leave",
        ),
        (
            ["--executor", "slurm", "--cluster", "local", "--partition", "gpu"],
            "--partition: --cluster local has none: leave it out",
        ),
        (
            ["--executor", "slurm", "--cluster", "local", "--cpus-per-run", "1000"],
            "--cpus-per-run 1000: --cluster local is this machine, which has ",
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(words: list[str], said: str) -> None:
    options = run.COMMAND.parser().parse_args(["toy.yaml", *words])
    with pytest.raises(UserError) as caught:
        check_executor(options)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--executor", "serial", "--jobs", "1"],
        ["--executor", "ray", "--gpus-per-run", "0.25", "--gather", "never"],
        ["--executor", "slurm", "--time-limit", "60", "--partition", "gpu"],
    ],
)
def test_what_belongs_together_is_taken(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "which", lambda name: f"/usr/bin/{name}")
    for package in executing.PACKAGES.values():
        pytest.importorskip(package)
    check_executor(run.COMMAND.parser().parse_args(["toy.yaml", *words]))


def test_that_there_is_no_slurm_is_said_before_anything_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("submitit")
    monkeypatch.setattr(executing, "which", lambda _: None)
    options = run.COMMAND.parser().parse_args(["toy.yaml", "--executor", "slurm"])
    with pytest.raises(UserError, match="there is no SLURM on this machine"):
        check_executor(options)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--executor", "cloud"], "--executor"),
        (["--cpus-per-run", "-1"], "--cpus-per-run: must be at least 0, not -1"),
        (["--gpus-per-run", "many"], "--gpus-per-run: must be a number, not many"),
        (["--time-limit", "4"], "--time-limit: must be from 5 to 1,000,000 minutes, not 4"),
        (["--address", ""], "--address: must not be empty"),
    ],
)
def test_what_is_no_value_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run.COMMAND.parser().parse_args(["toy.yaml", *words])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {said}")
    assert error.count("\n") == 1


def test_a_sweep_is_not_done_in_its_own_process(capsys: pytest.CaptureFixture[str]) -> None:
    """Its trials could not be given up on the way."""
    with pytest.raises(SystemExit):
        sweep.COMMAND.parser().parse_args(["sweep.yaml", "--executor", "serial"])
    assert "--executor" in capsys.readouterr().err


def test_what_a_command_says_of_its_executor_is_known() -> None:
    words = "run e.yaml --executor=ray --jobs 2 --address 10.0.0.1:6379 --set a=1 --gather never"
    assert chosen(words.split()) == (
        ["--executor=ray", "--address", "10.0.0.1:6379", "--gather", "never"]
    )


@pytest.mark.parametrize(("executor", "module"), [("ray", "ray"), ("slurm", "submitit")])
def test_an_extra_that_is_not_installed_is_named(
    executor: str, module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    ours = f"mocha_lightning.experiment.executors.on_{executor}"
    monkeypatch.delitem(sys.modules, ours, raising=False)
    options = run.COMMAND.parser().parse_args(["toy.yaml", "--executor", executor])
    said = f"--executor {executor}: {{}}: pip install 'mocha-lightning[{executor}]'"
    with pytest.raises(UserError) as caught:
        check_executor(options)
    assert str(caught.value) == said.format(f"there is no {module} here: install it")
    # One that is there and damaged.
    with pytest.raises(UserError) as caught:
        executor_of(options, tmp_path, [])
    broken = f"import of {module} halted; None in sys.modules"
    assert str(caught.value) == said.format(f"cannot be imported ({broken}): install it again")


def test_an_extra_whose_libraries_cannot_be_opened_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "__init__.py").write_text("raise OSError('libray.so: cannot be opened')")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [*sys.modules]:
        if name.partition(".")[0] == "ray" or "_ray" in name.rpartition(".executors.")[2]:
            monkeypatch.delitem(sys.modules, name)
    options = run.COMMAND.parser().parse_args(["toy.yaml", "--executor", "ray"])
    with pytest.raises(UserError, match="--executor ray: cannot be imported"):
        executor_of(options, tmp_path, [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            [],
            "trainer.num_nodes is 2, and other machines take part with --executor ray or slurm al",
        ),
        (
            ["--executor", "serial"],
            "trainer.num_nodes is 2, and other machines take part with --ex",
        ),
        (
            ["--executor", "slurm", "--cluster", "local"],
            "--cluster local: is this machine alone, a",
        ),
    ],
)
def test_one_machine_is_not_asked_for_runs_of_several(
    words: list[str], said: str, tmp_path: Path
) -> None:
    options = run.COMMAND.parser().parse_args(["toy.yaml", *words])
    specs = [toy_spec(), toy_spec(trainer={"num_nodes": 2})]
    with pytest.raises(UserError) as caught:
        executor_of(options, tmp_path, specs)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("changes", [["--set", "trainer.num_nodes=2"], []])
def test_that_is_said_before_anything_is_loaded(
    changes: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def load(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(run, "say_loading", load)
    nodes = {} if changes else {"num_nodes": 2}
    toy = write_toy(tmp_path, trainer={**TOY["trainer"], **nodes})
    ended = give(capsys, "run", str(toy), *changes)
    assert (ended.code, ended.err[:33]) == (2, "error: trainer.num_nodes is 2, an")


@pytest.mark.parametrize(
    ("words", "trainer", "cpus"),
    [
        ([], {}, 1),
        ([], {"devices": 3}, 3),
        ([], {"devices": 3, "num_nodes": 2}, 3),
        (["--cpus-per-run", "2"], {"devices": 3}, 2),
    ],
)
def test_a_run_gets_the_cores_that_its_processes_keep_busy_on_a_node(
    words: list[str],
    trainer: dict[str, int],
    cpus: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_slurm = pytest.importorskip("mocha_lightning.experiment.executors.on_slurm")
    asked: list[Any] = []
    monkeypatch.setattr(on_slurm, "Slurm", lambda request, *_: asked.append(request))
    options = run.COMMAND.parser().parse_args(["toy.yaml", "--executor", "slurm", *words])
    executor_of(options, tmp_path, [toy_spec(), toy_spec(trainer=trainer)])
    assert asked[0].cpus == cpus


@pytest.mark.parametrize("module", ["on_ray", "on_slurm"])
def test_what_waits_for_runs_elsewhere_loads_nothing_that_computes(module: str) -> None:
    """Each worker and job would take seconds for it, besides those of the run's own process."""
    pytest.importorskip("ray" if module == "on_ray" else "submitit")
    code = (
        f"import sys, mocha_lightning.experiment.executors.{module}\n"
        "print(sorted({'torch', 'pytorch_lightning', 'wandb', 'scipy'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
