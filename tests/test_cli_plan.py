"""``mocha-lightning plan``: how large a study is."""

import json
from pathlib import Path

import pytest
from experiment.running import write_toy

from mocha_lightning.cli import main


def test_an_experiment_is_measured_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_toy(tmp_path)
    words = ["plan", "toy.yaml", "--variants", "plain", "--seeds", "0", "1", "2", "--steps", "1"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--json"])
    assert ended.value.code == 0
    (plain,) = json.loads(capsys.readouterr().out)
    assert (plain["variant"], plain["runs"], plain["parameters"]) == ("plain", 3, 32)
    assert plain["seconds"] > 20 * plain["measured"]["step"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["toy.yaml"]


def test_a_variant_that_is_not_there_is_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["plan", str(write_toy(tmp_path)), "--variants", "plian"])
    assert ended.value.code == 2
    assert "plian" in capsys.readouterr().err
