"""Whether a sweep, a study in Optuna's books and a folder of runs belong together."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import optuna
import yaml
from pydantic import NonNegativeInt, TypeAdapter

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.base import deciding, difference, flat
from mocha_lightning.experiment.places import STUDY, SWEEP, trial_numbers, trials_over
from mocha_lightning.experiment.whole_files import write_whole
from mocha_lightning.sweep.definition import Sweep
from mocha_lightning.sweep.ended import read_end
from mocha_lightning.sweep.space import Values, written_out
from mocha_lightning.sweep.storage import has_file, open_storage, told, without_password

IDENTITY = "sweep"
"""The study's attribute that says what all its trials have in common."""
FOLDER = "folder"
"""The study's attribute that says what its folder is called in ``.study``."""


@dataclass(frozen=True)
class _Over:
    """What ``trial.json`` says of which trial it is."""

    number: NonNegativeInt
    values: Values


_OVER = TypeAdapter(_Over)


def check(sweep: Sweep, folder: Path, storage: str, data_sha256: str) -> None:
    """Check that a sweep can begin or go on, without putting anything into the books.

    Args:
        sweep: the sweep.
        folder: ``runs/<sweep>``, which may not be there yet.
        storage: as :func:`open_storage` takes it.
        data_sha256: of the data of the first setting.

    Raises:
        UserError: as by a sweep that begins.
    """
    check_storage(sweep.name, folder, storage)
    if not has_file(storage, folder):
        return
    with told(storage, folder):
        books = open_storage(storage, folder)
        if sweep.name in optuna.get_all_study_names(books):
            study = optuna.load_study(study_name=sweep.name, storage=books)
            check_identity(study, sweep, folder, data_sha256)
            check_folder(study, folder, storage)
        elif trial_numbers(folder):
            raise _strangers(sweep.name, folder, storage)


def check_storage(name: str, folder: Path, storage: str) -> None:
    """Check that a folder's trials are not sought in a file that is not there.

    Raises:
        UserError: they would be.
    """
    begun = (folder / STUDY).exists() or trial_numbers(folder)
    if begun and not has_file(storage, folder):
        raise _strangers(name, folder, storage)


def identity(sweep: Sweep, data_sha256: str) -> dict[str, Any]:
    """What all trials of a study have in common."""
    return {
        **{f"space {path}": each for path, each in written_out(sweep.space).items()},
        **dict(flat(deciding(sweep.variant.config, sweep.variant.places))),
        "metric": [sweep.metric.name, sweep.metric.mode],
        "seeds": list(sweep.seeds),
        # What is tried follows from these.
        "sampler": sweep.file.sampler,
        "pruner": sweep.file.pruner,
        "seed": sweep.file.seed,
        "data_sha256": data_sha256,
    }


def check_identity(study: optuna.Study, sweep: Sweep, folder: Path, data_sha256: str) -> bool:
    """Whether a study is new, and of nothing yet.

    Raises:
        UserError: it is of another sweep.
    """
    found, wanted = study.user_attrs.get(IDENTITY), identity(sweep, data_sha256)
    new = found is None and not study.get_trials(deepcopy=False)
    if new and study.directions == [sweep.direction]:
        return True
    if found != wanted:
        changed = difference(found, wanted) if found else "it was made by something else"
        raise UserError(
            f"{folder}: the study {sweep.name} is of another sweep ({changed}): give the "
            "new one another name (--name), or bring back what the study was begun with"
        )
    return False


def check_folder(study: optuna.Study, folder: Path, storage: str) -> bool:
    """Whether a folder is free for a study: trials are in one's books, their runs in one folder.

    Raises:
        UserError: the folder is of another study, or the study of another folder.
    """
    trials = study.get_trials(deepcopy=False)
    known = study.user_attrs.get(FOLDER)
    over = [read_end(path, _OVER) for path in trials_over(folder)]
    strange = any(
        each.number >= len(trials) or trials[each.number].params != each.values for each in over
    )
    claimed = known is not None and _called(folder) == known
    # Trials that are on their way count, too: a study that has none of them would take over
    # their folders.
    if strange or (not claimed and (trials or trial_numbers(folder))):
        raise _strangers(study.study_name, folder, storage)
    return not claimed


def claim(study: optuna.Study, folder: Path) -> None:
    """Make a folder that of a study."""
    known = uuid4().hex
    write_whole(folder / STUDY, known)
    study.set_user_attr(FOLDER, known)


def _called(folder: Path) -> str | None:
    name = folder / STUDY
    return name.read_text(encoding="utf-8", errors="replace") if name.exists() else None


def _strangers(name: str, folder: Path, storage: str) -> UserError:
    place, before = without_password(storage), _storage_before(folder)
    remedy = "give --runs and --storage as before"
    if before == place:
        remedy = f"bring back a whole copy of what it was, if {place} is damaged"
    elif before is not None:
        remedy = f"give --storage {before}, as before"
    return UserError(
        f"{folder}: its trials are not those of the study {name} in storage {place}: {remedy}, or "
        "give the sweep another name (--name)"
    )


def _storage_before(folder: Path) -> str | None:
    """The storage that ``sweep.yaml`` names, where it can be read."""
    try:
        written = yaml.safe_load((folder / SWEEP).read_bytes())
    except (OSError, yaml.YAMLError, ValueError, RecursionError):
        return None
    found = written.get("storage") if isinstance(written, dict) else None
    return found if isinstance(found, str) else None
