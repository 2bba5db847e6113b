"""One run: a resolved configuration and a seed. Nothing else decides its result."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import yaml
from pydantic import ConfigDict, TypeAdapter

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.base import deciding, hash_of
from mocha_lightning.experiment.layers import Config
from mocha_lightning.experiment.metric import Metric
from mocha_lightning.experiment.places import CONFIG
from mocha_lightning.experiment.whole_files import write_whole


@dataclass(frozen=True)
class RunSpec:
    """Everything about one run that is known before it starts.

    Attributes:
        differences: what the variant changes, as the experiment file has it.
        threads: of torch; the last bits of a sum depend on it.
        config: with every default filled in.
        command: what was typed; it is told in the result and decides nothing.
        data_sha256: of the prepared data; empty until they are.
        places: arguments of the data that say where files lie. They decide nothing either.
        sources: SHA-256 of each module that holds a class of the user's own.
        files: SHA-256 of the experiment file and of those that it stands on, by path from where
            the command was given. They are told in the result; what they say is in ``config``.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    experiment: str
    variant: str
    seed: int
    differences: dict[str, Any]
    metric: Metric
    notes: tuple[str, ...]
    threads: int
    config: Config
    command: str
    data_sha256: str = ""
    places: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How people speak of it."""
        return f"{self.variant} seed {self.seed}"

    @property
    def deciding(self) -> dict[str, Any]:
        """All that decides the numbers of a run."""
        return deciding(
            self.config,
            self.places,
            data_sha256=self.data_sha256,
            metric=asdict(self.metric),
            seed=self.seed,
            sources=self.sources,
            threads=self.threads,
        )

    @property
    def config_hash(self) -> str:
        """SHA-256 of :attr:`deciding`."""
        return hash_of(self.deciding)

    @property
    def steps(self) -> int:
        """Training steps."""
        return int(self.config["trainer"]["max_steps"])

    @property
    def nodes(self) -> int:
        """Machines that do it together."""
        return int(self.config["trainer"].get("num_nodes", 1))

    @property
    def cores(self) -> int:
        """What several processes keep busy on each of them; one where it is done by one process."""
        devices = int(self.config["trainer"].get("devices", 1))
        return devices * self.threads if self.nodes * devices > 1 else 1

    def check_data(self, sha256: str) -> None:
        """Check that data are those that the run was begun with.

        Args:
            sha256: of the data that are there.

        Raises:
            UserError: they are others.
        """
        if sha256 != self.data_sha256:
            raise UserError(
                f"data: their SHA-256 is {sha256}, not the {self.data_sha256} that this run was "
                "begun with: bring those data back or give the experiment another name"
            )

    def write(self, folder: Path) -> None:
        """Write it into the run's folder."""
        content = {**asdict(self), "notes": list(self.notes), "places": list(self.places)}
        write_whole(folder / CONFIG, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    @classmethod
    def read(cls, folder: Path) -> "RunSpec":
        """Read it from the run's folder.

        Raises:
            UserError: it is not there or was not written by ``write``.
        """
        path = folder / CONFIG
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
            spec = TypeAdapter(cls).validate_python(content)
            # What is made of the configuration needs it to be of a form, too.
            json.dumps([spec.deciding, spec.steps], sort_keys=True)
            return spec
        except (
            *(OSError, yaml.YAMLError, LookupError, TypeError, ValueError),
            *(AttributeError, RecursionError),
        ) as error:
            raise UserError(
                f"{path}: cannot be read as a run's configuration: remove {folder} to have that "
                "run begun anew"
            ) from error
