"""What the tests on a Ray cluster share."""

import os
import sys
from collections.abc import Iterator

import pytest

from experiment.executors.cluster import Machines


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    pytest.importorskip("ray", reason="Ray is not installed (the extra ray)")
    with pytest.MonkeyPatch.context() as patch:
        # A node begins its workers in a folder of its own.
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        # Else they wait for all other tests.
        patch.setenv("RAY_worker_niceness", "0")
        found = Machines()
        yield found
        found.end()
