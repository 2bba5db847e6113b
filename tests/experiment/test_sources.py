"""The code of a user's own classes is part of what a run is."""

from pathlib import Path

import pytest

from mocha_lightning.experiment.sources import own_classes, source_hashes

CODE = "class Mine: ...\n"


def node(class_path: str, **arguments: object) -> dict[str, object]:
    return {"class_path": class_path, "init_args": arguments}


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "a_module_of_mine.py"
    path.write_text(CODE)
    return path


def test_classes_of_the_suite_and_of_installed_packages_are_nobodys_own() -> None:
    config = node("mocha_lightning.attention.MoChA", other=node("torch.nn.Linear"))
    assert own_classes({"task": config, "list": [node("collections.OrderedDict")]}) == []
    assert source_hashes(config) == {}


def test_a_class_of_the_users_own_is_found_at_any_depth_and_changes_with_its_file(
    mine: Path,
) -> None:
    config = {"task": node("torch.nn.Linear", mechanism=node("a_module_of_mine.Mine"))}
    assert own_classes(config) == ["a_module_of_mine.Mine"]
    before = source_hashes(config)
    assert list(before) == ["a_module_of_mine"]
    mine.write_text(CODE + "# changed\n")
    assert source_hashes(config)["a_module_of_mine"] != before["a_module_of_mine"]
