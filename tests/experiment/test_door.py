"""Other nodes come to a run's first process, and it hears what becomes of them."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from experiment.running import run_in_process, toy_spec
from mocha_lightning.errors import DivergedError, ProcessError, UserError
from mocha_lightning.experiment import door as doors
from mocha_lightning.experiment.door import Address, Door, Visit, Visitor
from mocha_lightning.experiment.problem import Problem

PORT = 1234


@pytest.fixture
def door() -> Iterator[Door]:
    with closing(Door("localhost")) as found:
        yield found


def met(door: Door) -> tuple[Visit, Visitor]:
    """Both ends of a connection with a second node."""
    visit = Visit(door.address, 1)
    (visitor,) = door.visitors(2, PORT)
    return visit, visitor


def test_a_node_learns_where_processes_meet(door: Door) -> None:
    visit, visitor = met(door)
    assert visit.place() == ("localhost", PORT)
    assert visitor.problem() is None


def test_who_does_not_know_the_run_is_sent_away(door: Door) -> None:
    stranger = Visit(Address("localhost", door.address.port, "of another run"), 1)
    with socket.create_connection(("localhost", door.address.port)) as speechless:
        speechless.sendall(b"GET / HTTP/1.1\n")
        met(door)
    assert stranger.place() is None


def test_a_node_that_does_not_come_is_not_waited_for_for_ever(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "COME_SECONDS", 0.1)
    with pytest.raises(ProcessError, match=r"node 2 of 3 did not come within 0\.1 s") as told:
        list(door.visitors(3, PORT))
    assert told.value.lost


def test_a_node_at_the_door_of_a_run_that_ends_before_is_told(door: Door) -> None:
    visit = Visit(door.address, 1)
    threading.Timer(0.2, door.close).start()
    assert visit.place() is None


@pytest.mark.parametrize(
    ("problem", "error", "text"),
    [
        (Problem("mistake", "data: are others"), UserError, "(node 2 of 2): data: are others"),
        (Problem("failed", "process 2 of 2 failed"), ProcessError, "(node 2 of 2): process 2 of 2"),
        # A result tells it, and is the same wherever it was noticed.
        (Problem("diverged", "the loss was nan", 3), DivergedError, "the loss was nan at step 3"),
    ],
)
def test_what_goes_wrong_on_a_node_is_told_with_its_name(
    problem: Problem, error: type[Exception], text: str, door: Door
) -> None:
    visit, visitor = met(door)
    visit.tell(problem)
    visit.close()
    assert (found := visitor.problem()) is not None
    assert found.at == pytest.approx(problem.at, abs=1.0)
    assert isinstance(found.as_error(), error)
    assert text in str(found.as_error())


def test_a_node_that_has_done_all_is_no_problem(door: Door) -> None:
    visit, visitor = met(door)
    visit.tell(None)
    visit.close()
    assert visitor.problem() is None


def test_a_node_that_ends_without_a_word_is_lost(door: Door) -> None:
    visit, visitor = met(door)
    visit.close()
    assert (found := visitor.problem()) is not None
    assert (found.kind, found.at) == ("lost", 0.0)
    assert "(node 2 of 2) is lost" in found.text


def test_a_node_that_is_gone_before_it_is_let_in_is_lost(door: Door) -> None:
    visits = [Visit(door.address, node) for node in (1, 2)]
    visits[0].close()
    gone, there = door.visitors(3, PORT)
    assert gone.problem() is not None
    assert there.problem() is None


def test_a_node_knows_when_the_run_is_over(door: Door) -> None:
    visit, visitor = met(door)
    assert visit.place()
    visitor.end()
    assert visit.over.recv(1) == b""
    visit.tell(Problem("failed", "nobody hears this"))


def test_a_run_of_several_nodes_that_has_one_says_what_would_do_it(tmp_path: Path) -> None:
    assert run_in_process(toy_spec(trainer={"num_nodes": 2}), tmp_path) == 2
    said = (tmp_path / "log.txt").read_text().splitlines()[-1]
    assert said == (
        "error: trainer.num_nodes is 2, and other machines take part with --executor ray or slurm "
        "alone: give one of them, or leave it out"
    )
