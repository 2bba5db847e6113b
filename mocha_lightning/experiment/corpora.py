"""The data of an experiment, without its models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mocha_lightning.data.base import DataModule
from mocha_lightning.data.on_disk import OnDisk
from mocha_lightning.data.speech import SpeechData
from mocha_lightning.errors import UserError
from mocha_lightning.experiment.building import refused
from mocha_lightning.experiment.definition import Origins, read_variants
from mocha_lightning.experiment.layers import Config
from mocha_lightning.experiment.mistakes import ConfigError
from mocha_lightning.experiment.resolving import instantiate_data


@dataclass
class Corpus:
    """Data, and the variants that are trained and tested on them."""

    config: Config
    data: DataModule
    variants: list[str]


def load_corpora(path: Path, settings: Mapping[str, Any]) -> list[Corpus]:
    """The data of every variant of an experiment file, those of the same configuration once.

    Args:
        path: the YAML file.
        settings: values of the base, by dotted path, instead of the file's.

    Raises:
        UserError: what is wrong with the file's form or its data, by file, line and key.
    """
    corpora: list[Corpus] = []
    for variant in read_variants(path, settings):
        config, data = _instantiated(variant)
        for corpus in corpora:
            if corpus.config == config:
                corpus.variants.append(variant.variant)
                break
        else:
            corpora.append(Corpus(config, data, [variant.variant]))
    return corpora


def prepare_corpora(corpora: Sequence[Corpus], jobs: int) -> None:
    """Have all corpora on disk, and open them as far as that says what is in them.

    Whether batches can be made of speech as the experiment wants them is left to
    :func:`check_corpora`: what is in a corpus helps to choose that.

    Args:
        corpora: what to prepare.
        jobs: processes that prepare one at the same time.

    Raises:
        UserError: one cannot be prepared, or is damaged.
    """
    for corpus in corpora:
        if isinstance(corpus.data, OnDisk):
            corpus.data.jobs = jobs
        corpus.data.prepare_data()
        if isinstance(corpus.data, SpeechData):
            corpus.data.open()
        else:
            corpus.data.setup("fit")


def check_corpora(corpora: Sequence[Corpus]) -> None:
    """Check that runs can make batches of them.

    Raises:
        UserError: of one they cannot.
    """
    for corpus in corpora:
        corpus.data.setup("fit")


def _instantiated(variant: Origins) -> tuple[Config, DataModule]:
    config = variant.changed.config
    try:
        return instantiate_data(config)
    except ConfigError as mistake:
        raise UserError(f"{variant.where(mistake.keys)}: {mistake.problem}") from mistake
    except (
        Exception,
        SystemExit,
    ) as error:  # whatever a constructor makes of a value it cannot use
        raise refused({"data": config["data"]}, variant, error) from error
