"""Importing this imports the classes that an environment variable names.

The server of processes can be asked for modules by name, and a class may come from a package that
imports it only when it is asked for.
"""

import os
from contextlib import suppress

from mocha_lightning.experiment.classes import find_class
from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.experiment.server import CLASSES

for path in os.environ.get(CLASSES, "").split():
    # Whoever needs one that cannot be imported says so.
    with suppress(ConfigError):
        find_class(path, ())
