"""What the package of corpora offers, and what it costs to import."""

import subprocess
import sys

import pytest

from mocha_lightning import data
from mocha_lightning.data import SpokenNumbers
from mocha_lightning.experiment.classes import find_class
from mocha_lightning.experiment.mistakes import ConfigError


@pytest.mark.parametrize("name", data.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(data, name).__name__ == name
    assert name in dir(data)


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'SpokenNumber'"):
        data.SpokenNumber  # noqa: B018


def test_a_name_that_is_nearly_right_is_hinted_at() -> None:
    assert find_class("mocha_lightning.data.SpokenNumbers", ()) is SpokenNumbers
    with pytest.raises(ConfigError, match=r"no class SpokenNumber: did you mean SpokenNumbers\?"):
        find_class("mocha_lightning.data.SpokenNumber", ())


def test_the_package_alone_imports_nothing_of_weight() -> None:
    code = "import sys, mocha_lightning.data; print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
