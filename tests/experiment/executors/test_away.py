"""What is checked where a run is done, away from the command that asked for it."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from experiment.running import toy_spec
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors.away import Errand, installed, settle
from mocha_lightning.experiment.spec import RunSpec
from mocha_lightning.tracking import DISABLED


def errand(spec: RunSpec, folder: Path) -> Errand:
    return Errand(folder / "run", spec, DISABLED, folder, installed())


def test_a_module_that_has_changed_since_the_command_was_given_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run would train the new code under the old one's name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "a_mechanism_of_mine.py"
    module.write_text("class Mine: ...\n")
    spec = toy_spec()
    spec.config["task"]["init_args"]["mechanism"] = {"class_path": "a_mechanism_of_mine.Mine"}
    known = hashlib.sha256(module.read_bytes()).hexdigest()
    spec = replace(spec, sources={**spec.sources, "a_mechanism_of_mine": known})
    settle(errand(spec, tmp_path))
    module.write_text("class Mine:\n    gain = 3\n")
    with pytest.raises(UserError, match=r"a_mechanism_of_mine: is not, on .*, what it was when"):
        settle(errand(spec, tmp_path))


def test_other_versions_than_the_commands_are_refused(tmp_path: Path) -> None:
    spec = toy_spec()
    older = replace(errand(spec, tmp_path), versions={**installed(), "torch": "1.0"})
    with pytest.raises(UserError, match=r"has torch .* and this command 1\.0, so results would"):
        settle(older)
