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


def answers(address: str) -> bool:
    """Whether anything listens there.

    Args:
        address: of a host and a port; that of IPv6 may be in brackets.
    """
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS):
            return True
    except (OSError, ValueError, OverflowError):
        return False
