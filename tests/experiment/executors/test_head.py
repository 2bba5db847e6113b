"""The head of a Ray cluster, as far as it can be known without Ray."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from mocha_lightning.errors import UserError
from mocha_lightning.experiment.executors import head
from mocha_lightning.experiment.executors.head import answers, check_head, head_of

NOBODY = "127.0.0.1:9"


@pytest.mark.parametrize("address", ["nonsense", "10.0.0.1", "a:b"])
def test_what_is_no_address_is_said_so(address: str) -> None:
    with pytest.raises(UserError, match=f"--address {address}: is no address of a Ray cluster's h"):
        check_head(address)


def test_nobody_at_an_address_is_said_at_once() -> None:
    with pytest.raises(UserError, match=f"--address {NOBODY}: no Ray cluster answers there: give"):
        check_head(NOBODY)


def test_an_address_of_the_environment_is_called_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", NOBODY)
    with pytest.raises(UserError, match=f"RAY_ADDRESS={NOBODY}: no Ray cluster answers there"):
        check_head(None)


def test_the_commands_own_address_counts_more_than_the_environments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", NOBODY)
    assert (head_of("local"), head_of(None)) == ("local", NOBODY)
    check_head("local")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "::1"])
def test_whoever_listens_is_found_at_any_kind_of_address(host: str) -> None:
    family = socket.AF_INET6 if "::" in host else socket.AF_INET
    try:
        listener = socket.create_server((host.strip("[]"), 0), family=family)
    except OSError:
        # Meant: a machine may have no such addresses, and the others are looked at all the same.
        pytest.skip("this machine has no IPv6")
    with listener:
        assert answers(f"{host}:{listener.getsockname()[1]}")


@contextmanager
def somebody(answer: bytes) -> Iterator[str]:
    """Whoever takes two connections, and answers what is said with the second."""

    def serve() -> None:
        listener.accept()[0].close()
        connection, _ = listener.accept()
        with connection:
            connection.recv(100)
            connection.sendall(answer)
            connection.recv(100)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = Thread(target=serve)
        serving.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        serving.join(60)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"HTTP/1.1 505 HTTP Version Not Supported\r\n", id="a dashboard"),
        pytest.param(b"-ERR unknown command\r\n", id="Redis"),
        pytest.param(b"", id="who says nothing"),
    ],
)
def test_who_is_no_head_is_not_asked_for_a_quarter_of_an_hour(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(head, "CONNECT_SECONDS", 1.0)
    with (
        somebody(answer) as address,
        pytest.raises(UserError, match=f"--address {address}: what answers there is no head of a"),
    ):
        check_head(address)


def test_who_talks_as_ray_does_may_be_a_head() -> None:
    settings = bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
    with somebody(settings) as address:
        check_head(address)


def test_over_tls_it_is_left_to_ray_to_find_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USE_TLS", "1")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        check_head(f"127.0.0.1:{listener.getsockname()[1]}")
