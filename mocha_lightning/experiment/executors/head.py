"""The head of a Ray cluster, as far as it can be known without Ray, which takes seconds to load."""

import os
import re
import socket

from mocha_lightning.errors import UserError

LOCAL = "local"
"""The address of a cluster that is begun on this machine, for the time of the command."""
AUTO = "auto"
"""The address of the cluster that this machine is in, as Ray knows it."""
VARIABLE = "RAY_ADDRESS"
CONNECT_SECONDS = 5.0
"""What whoever listens gets to take a connection, and to say a first word."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""What HTTP/2 begins with, over which Ray talks: its preface, and settings that set nothing."""
SETTINGS = 4
"""The kind of frame that a server of HTTP/2 answers with,"""
KIND_BYTE = 3
"""and where it stands in it."""


def head_of(option: str | None) -> str:
    """The address that is meant.

    Args:
        option: what the command says; None for the environment's.
    """
    return option or os.environ.get(VARIABLE) or LOCAL


def check_head(option: str | None) -> None:
    """Check that there may be a cluster where one is to be joined.

    Args:
        option: what the command says; None for the environment's.

    Raises:
        UserError: it is no address, or nobody answers there.
    """
    address = head_of(option)
    if address in (LOCAL, AUTO):
        return
    named = f"--address {address}" if option else f"{VARIABLE}={address}"
    if not re.fullmatch(r".+:\d+", address):
        raise UserError(
            f"{named}: is no address of a Ray cluster's head: give one as 10.0.0.1:6379"
        )
    if not answers(address):
        raise UserError(
            f"{named}: no Ray cluster answers there: give the address of its head, as "
            "10.0.0.1:6379, from one of its nodes, or leave it out for a cluster on this machine"
        )
    # Ray would ask it again and again, for a quarter of an hour. Over TLS it would not understand.
    if os.environ.get("RAY_USE_TLS", "0") == "0" and not _talks_as_ray(address):
        raise UserError(
            f"{named}: what answers there is no head of a Ray cluster: give the address that "
            "`ray start --head` told"
        )


def answers(address: str) -> bool:
    """Whether anything listens there.

    Args:
        address: of a host and a port; that of IPv6 may be in brackets.
    """
    try:
        with _connection(address):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _talks_as_ray(address: str) -> bool:
    try:
        with _connection(address) as connection, connection.makefile("rb") as said:
            connection.sendall(GREETING)
            frame = said.read(KIND_BYTE + 1)
    except OSError:
        return False
    return frame[KIND_BYTE:] == bytes((SETTINGS,))


def _connection(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS)
