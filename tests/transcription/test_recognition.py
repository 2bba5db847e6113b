"""A run's folder is all that recognition takes; what is wrong with one is said in a line."""

import copy
import pickle
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from data.recordings import SMALL, opened, write_noise
from drawn import spec_of
from experiment.running import run_in_process

from mocha_lightning.data import AudioFolder, Vocabulary
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.sources import source_hashes
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.transcription.recognition import load_recognition

from .runs import FRONTEND, METRIC, as_float, config_of, run_of, sound


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return run_of(tmp_path / "run", "MoChA")


@pytest.fixture
def best(run: Path) -> Path:
    return run / "checkpoints" / "best.ckpt"


def change(path: Path, **changes: Any) -> None:
    torch.save({**torch.load(path, weights_only=True), **changes}, path)


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_recognition(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_all_is_there_without_the_corpus(run: Path, best: Path) -> None:
    recognition = load_recognition(run)
    assert (recognition.mechanism, recognition.lookahead) == ("MoChA", 110)
    assert not recognition.recognizer.training
    weights = torch.load(best, weights_only=True)["state_dict"]
    for name, value in recognition.recognizer.state_dict().items():
        assert torch.equal(value, weights[name])
    assert recognition.frontend.features == FRONTEND.features
    assert recognition.frontend.vocabulary == FRONTEND.vocabulary
    for part in ("mean", "deviation"):
        found = getattr(recognition.frontend.normalization, part)
        assert np.array_equal(found, getattr(FRONTEND.normalization, part))


def test_a_run_is_of_use_when_its_corpus_is_gone(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    rows = ["file_name,text,split"]
    for seed, split in enumerate(("train",) * 2 + ("validation", "test")):
        write_noise(corpus / f"{seed}.wav", seed)
        rows.append(f"{seed}.wav,ab,{split}")
    (corpus / "metadata.csv").write_text("\n".join(rows))
    arguments = {**SMALL, "folder": str(corpus), "cache_dir": str(tmp_path / "cache")}
    data = opened(AudioFolder(**arguments))
    config = copy.deepcopy(config_of("MoChA"))
    config["data"]["init_args"] = arguments
    run = tmp_path / "run"
    spec = replace(spec_of(config, METRIC), data_sha256=data.sha256, places=data.places)
    assert run_in_process(spec, run) == 0, (run / "log.txt").read_text()
    shutil.rmtree(corpus)
    shutil.rmtree(tmp_path / "cache")
    for path in run.iterdir():
        if path.name not in ("config.yaml", "checkpoints"):
            path.unlink()
    recognition = load_recognition(run)
    assert recognition.frontend.sha256 == data.sha256
    assert recognition.frontend.features == data.features
    words = recognition.streamer().accept(as_float(sound(1)))
    assert isinstance(words, list)


def test_a_checkpoint_names_its_run(run: Path, best: Path) -> None:
    assert best.rename(best.with_name("last.ckpt")).exists()
    assert load_recognition(best.with_name("last.ckpt")).mechanism == "MoChA"
    assert refusal(run).startswith(f"{best}: cannot be opened (No such file or directory): give")


def test_what_is_no_run_is_said_so(run: Path, best: Path, tmp_path: Path) -> None:
    assert refusal(tmp_path / "none").startswith(f"{tmp_path}/none: is not there (No such file")
    assert "belongs to no run (there is no" in refusal(tmp_path)
    (run / "config.yaml").write_text("experiment: [")
    assert "config.yaml: cannot be read as a run's configuration: give" in refusal(run)
    (run / "config.yaml").unlink()
    assert "belongs to no run (there is no" in refusal(best)


@pytest.mark.parametrize("content", [b"", b"text", bytes(1000), pickle.dumps([3], 2)])
def test_a_damaged_checkpoint_is_said_so(run: Path, best: Path, content: bytes) -> None:
    best.write_bytes(content)
    assert re.match(rf"{best}: is (empty|damaged|no checkpoint).*: give the folder", refusal(run))


def test_a_checkpoint_cut_short_is_said_so(run: Path, best: Path) -> None:
    whole = best.read_bytes()
    best.write_bytes(whole[: len(whole) // 2])
    assert refusal(run).startswith(f"{best}: is damaged or no checkpoint (")


def test_a_pickle_that_would_execute_something_does_not(run: Path, tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "exploded",))

    torch.save({"state_dict": Bomb()}, run / "checkpoints" / "best.ckpt")
    assert "executed if it were read in full, so it was not read" in refusal(run)
    assert not (tmp_path / "exploded").exists()


def test_a_checkpoint_of_another_run_is_refused(run: Path, best: Path, tmp_path: Path) -> None:
    other = run_of(tmp_path / "other", "MoChA", seed=1)
    best.write_bytes((other / "checkpoints" / "best.ckpt").read_bytes())
    assert refusal(run).startswith(f"{best}: is of another configuration than {run}/config.yaml, ")
    change(best, callbacks={})
    assert "was not written by a run of this package" in refusal(run)


def test_what_an_earlier_version_left_out_is_named(run: Path, best: Path) -> None:
    change(best, AudioFolder=None)
    assert "keeps neither vocabulary nor features of its corpus (AudioFolder): it is" in refusal(
        run
    )
    change(best, AudioFolder={**FRONTEND.state_dict(), "format": 7})
    assert f"{best}: what it keeps of its corpus is in format 7, and this version" in refusal(run)
    change(best, AudioFolder={**FRONTEND.state_dict(), "mean": torch.zeros(2)})
    assert "what it keeps of its corpus is damaged (ValueError: statistics of" in refusal(run)


def test_weights_for_another_vocabulary_or_size_are_named(run: Path, best: Path) -> None:
    symbols = list(Vocabulary().symbols)
    change(best, AudioFolder={**FRONTEND.state_dict(), "symbols": symbols})
    said = refusal(run)
    assert f"{best}: decoder.embedding.weight is 7 x 6, and must be 30 x 6 in the Speech" in said
    assert f"vocabulary of 30 symbols {Vocabulary()}" in said
    weights = torch.load(best, weights_only=True)["state_dict"]
    del weights["decoder.cell.bias_hh"]
    change(best, AudioFolder=FRONTEND.state_dict(), state_dict=weights)
    assert "decoder.cell.bias_hh is not there, and must be 48 in" in refusal(run)


def test_weights_of_another_kind_are_named(run: Path, best: Path) -> None:
    weights = torch.load(best, weights_only=True)["state_dict"]
    name = "decoder.cell.bias_hh"
    for odd in (weights[name].to_sparse(), weights[name].to("meta")):
        change(best, state_dict={**weights, name: odd})
        assert f"{best}: its weights cannot be taken (" in refusal(run)


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_weights_that_are_no_numbers_are_named(run: Path, best: Path, value: float) -> None:
    weights = torch.load(best, weights_only=True)["state_dict"]
    name = "decoder.cell.bias_hh"
    weights[name][3] = value
    change(best, state_dict=weights)
    assert f"{best}: {name} has values that are no finite numbers: the run has" in refusal(run)


@pytest.mark.parametrize("name", ["x" * 3000, "a\0b"])
def test_what_cannot_be_a_folder_is_said_so(name: str) -> None:
    assert ": is not there (" in refusal(Path(name))


def rewrite(run: Path, best: Path, edit: Any) -> None:
    """Change the configuration, and the checkpoint to belong to it."""
    content = yaml.safe_load((run / "config.yaml").read_text())
    edit(content)
    (run / "config.yaml").write_text(yaml.safe_dump(content))
    change(best, callbacks={"Checkpoints": {"config_hash": RunSpec.read(run).config_hash}})


def test_a_class_that_is_not_there_or_another_is_named_at_its_key(run: Path, best: Path) -> None:
    def rename(content: dict[str, Any]) -> None:
        attention = content["config"]["task"]["init_args"]["attention"]
        attention["class_path"] = "mocha_lightning.attention.MoCha"

    rewrite(run, best, rename)
    said = f"{run}/config.yaml: task.attention.class_path: mocha_lightning.attention has no class"
    assert refusal(run).startswith(said)

    def other(content: dict[str, Any]) -> None:
        mechanism = {"class_path": "experiment.toy.Mechanism", "init_args": {}}
        content["config"]["task"] = {
            "class_path": "experiment.toy.ToyTask",
            "init_args": {"mechanism": mechanism},
        }
        content["sources"] = source_hashes(content["config"]["task"])

    rewrite(run, best, other)
    said = rf"{run}/config\.yaml: task: (cannot be built \(|ToyTask is no SpeechRecognizer)"
    assert re.match(said, refusal(run))


def test_a_mechanism_of_ones_own_must_be_that_of_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "own_mechanism.py"
    module.write_text("from mocha_lightning.attention import MoChA\nclass Own(MoChA): pass\n")
    run = run_of(tmp_path / "run", "own_mechanism.Own")
    assert load_recognition(run).mechanism == "Own"
    module.write_text(module.read_text() + "# changed\n")
    assert f"{run}/config.yaml: its module own_mechanism is not the one" in refusal(run)


@pytest.mark.parametrize("name", ["own_bomb", "own_package.bomb", "own_package.inner.bomb"])
def test_a_module_that_is_not_that_of_the_training_is_not_even_imported(
    run: Path, best: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / (name.replace(".", "/") + ".py")
    path.parent.mkdir(parents=True, exist_ok=True)
    bomb = f"from pathlib import Path\nPath({str(tmp_path / 'exploded')!r}).touch()\n"
    for place in (path, *(each / "__init__.py" for each in path.parents if each > tmp_path)):
        if place.parent != tmp_path or place == path:
            place.write_text(bomb)

    def name_it(content: dict[str, Any]) -> None:
        content["config"]["task"]["init_args"]["attention"]["class_path"] = f"{name}.Mechanism"
        content["sources"] = {name: "0" * 64}

    rewrite(run, best, name_it)
    assert refusal(run).startswith(
        f"{run}/config.yaml: its module {name} is not the one that it was trained with (their "
        "SHA-256 differ), so it was not imported"
    )
    path.unlink()  # of a package that lacks it nothing is imported either
    if "." in name:
        assert "so it was not imported" in refusal(run)
    else:
        assert "task.attention.class_path: there is no module own_bomb" in refusal(run)
    assert not (tmp_path / "exploded").exists()
