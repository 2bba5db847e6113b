"""The head of a Ray cluster, as far as it can be known without Ray."""

import socket

import pytest

from mocha_lightning.errors import UserError
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
        pytest.skip("this machine has no IPv6")
    with listener:
        assert answers(f"{host}:{listener.getsockname()[1]}")
