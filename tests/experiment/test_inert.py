"""Files that execute nothing when they are read."""

import os
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.inert import load, save


class Bomb:
    """What executes a command in the shell when a pickle of it is read."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


def refusal(path: Path) -> str:
    """What is said of a file that is not read, in a line."""
    with pytest.raises(UserError) as caught:
        load(path, "give another")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).endswith(": give another")
    return str(caught.value).removeprefix(f"{path}: ").removesuffix(": give another")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_told_as_one() -> None:
    with pytest.raises(OSError, match="No space left on device"):
        save({"state_dict": {"weight": torch.zeros(1000)}}, Path("/dev/full"))


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    content = {
        "state_dict": OrderedDict(weight=torch.arange(3.0)),
        "loops": {"step": 3, "rates": [0.1, None], "betas": (0.9, 0.999), 0: "zero"},
        "kind": torch.float16,
    }
    save(content, tmp_path / "x")
    found = load(tmp_path / "x")
    assert torch.equal(found["state_dict"]["weight"], content["state_dict"]["weight"])
    assert {key: found[key] for key in ("loops", "kind")} == {
        key: content[key] for key in ("loops", "kind")
    }


@pytest.mark.parametrize("number", [np.float64(3), np.zeros(2), Path("x"), {1, 2}, 3j, object()])
def test_what_could_not_be_read_back_is_refused_before_it_is_written(
    number: Any, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"would hold a \S+ at callbacks\.mine\[1\], and only"):
        save({"state_dict": {}, "callbacks": {"mine": [0, number]}}, tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("form", ["zip", "pickle"])
def test_a_pickle_that_would_execute_something_does_not(form: str, tmp_path: Path) -> None:
    bomb = {"state_dict": Bomb(f"touch {tmp_path}/exploded")}
    if form == "zip":
        torch.save(bomb, tmp_path / "x")
    else:
        (tmp_path / "x").write_bytes(pickle.dumps(bomb, protocol=2))
    said = refusal(tmp_path / "x")
    assert not (tmp_path / "exploded").exists()
    assert said.startswith("would have posix.system executed if it were read in full, so it was")
    if form == "pickle":  # else this test could not fail
        pickle.loads((tmp_path / "x").read_bytes())
        assert (tmp_path / "exploded").exists()


def test_a_file_that_is_no_checkpoint_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert refusal(path) == "cannot be opened (No such file or directory)"
    assert refusal(tmp_path) == "is no file that can be read"
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "is no file that can be read"
    path.touch()
    assert refusal(path) == "is empty (0 bytes)"
    for content in (b"text, no checkpoint", bytes(100), pickle.dumps(3), b"\x80\x04\x95" * 20):
        path.write_bytes(content)
        assert refusal(path).startswith("is ")
    for content in ([torch.zeros(2)], {"state_dict": {3: torch.zeros(2)}}):
        torch.save(content, path)
        assert refusal(path) == "is no checkpoint, which holds weights by name"


def test_weights_that_have_changed_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    weights = torch.arange(64.0)
    save({"state_dict": {"w": weights}}, path)
    content = bytearray(path.read_bytes())
    content[content.index(weights.numpy().tobytes()) + 100] ^= 1
    path.write_bytes(content)
    assert refusal(path) == "is damaged or no checkpoint (BadZipFile)"


def test_what_would_be_larger_unpacked_is_not_unpacked(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    save({"state_dict": {"w": torch.zeros(64)}}, plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(packed, "w") as target:
        for part in source.infolist():
            target.writestr(part.filename, source.read(part), zipfile.ZIP_DEFLATED)
    assert refusal(packed) == "is damaged or no checkpoint (BadZipFile)"


def test_a_file_that_was_cut_short_is_named(tmp_path: Path) -> None:
    save({"state_dict": {"weight": torch.zeros(1000)}}, tmp_path / "x")
    whole = (tmp_path / "x").read_bytes()
    for size in (1, 100, 3000, len(whole) - 1):
        (tmp_path / "x").write_bytes(whole[:size])
        assert refusal(tmp_path / "x").startswith("is damaged or no checkpoint (")


def test_what_was_written_on_a_gpu_is_read_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "last.ckpt"
    with monkeypatch.context() as written:
        # What stands in a file beside each tensor that lay on a GPU.
        written.setattr(torch.serialization, "location_tag", lambda _: "cuda:0")
        save({"state_dict": {"weight": torch.arange(3.0)}}, path)
    assert b"cuda:0" in path.read_bytes()
    weight = load(path)["state_dict"]["weight"]
    assert weight.device.type == "cpu"
    assert weight.tolist() == [0, 1, 2]
