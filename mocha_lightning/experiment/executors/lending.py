"""A node that lends its processes to a run whose first process is on another."""

import time
from contextlib import closing
from multiprocessing.connection import wait

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.classes import class_paths
from mocha_lightning.experiment.door import Address, Visit
from mocha_lightning.experiment.executors.away import WARNINGS, Errand, settle
from mocha_lightning.experiment.others import WORD_SECONDS, Others
from mocha_lightning.experiment.problem import Problem
from mocha_lightning.experiment.server import begin_server
from mocha_lightning.experiment.signals import blocked
from mocha_lightning.experiment.trainer import first_of


def lend(errand: Errand, node: int, address: Address) -> None:
    """Have processes of this machine compute their share of a run, as long as it lasts.

    The first process is told of whatever goes wrong here.

    Args:
        errand: the run.
        node: which one this is, counted from 0, which is the run's own.
        address: of the door there.

    Raises:
        OSError: there is no door.
    """
    others = Others()
    with closing(Visit(address, node)) as visit:
        try:
            settle(errand)
            place = visit.place()
            if place is None:
                return
            spec = errand.spec
            members = first_of(spec.config["trainer"]).of_node(node)
            with blocked(WARNINGS):
                server = begin_server(spec.threads, class_paths(spec.config), errand.wandb)
                others.begin(server, spec, errand.folder, members, place)
            left = {each.sentinel for each in others.all}
            while left and not others.found():
                over = wait([visit.over, *left])
                if visit.over in over:
                    return
                left.difference_update(over)
            if others.found():
                time.sleep(WORD_SECONDS / 2)
            visit.tell(others.found())
        except UserError as error:
            visit.tell(Problem("mistake", str(error)))
        finally:
            others.end()
