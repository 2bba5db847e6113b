"""A PostgreSQL server of the tests' own, in a folder of its own."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

USER, PASSWORD = "sweeper", "secret"
SECONDS = 60
"""What each of the server's programs may take."""


class AbsentError(Exception):
    """There is no PostgreSQL here, and why."""


class Server:
    """A server that can be ended and begun again.

    Args:
        programs: the folder of PostgreSQL's.
        folder: where all of it is.
        owner: as whom it runs.
    """

    def __init__(self, programs: Path, folder: Path, owner: dict[str, Any]) -> None:
        self.programs, self.folder, self.owner = programs, folder, owner
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        password = folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        self._run(
            *("initdb", "--no-sync", "--no-locale", "--encoding=UTF8", "--auth=scram-sha-256"),
            *(f"--username={USER}", f"--pwfile={password}", f"--pgdata={folder / 'data'}"),
        )
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, password: str = PASSWORD, database: str = "postgres") -> str:
        """Of a database of its."""
        address = f"127.0.0.1:{self.port}/{database}"
        return f"postgresql+psycopg://{USER}:{password}@{address}"

    def begin(self) -> None:
        """Begin it, and wait until it answers."""
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
        self.process = subprocess.Popen(
            [
                *(self.programs / "postgres", "-D", self.folder / "data", "-p", str(self.port)),
                *(word for each in options.items() for word in ("-c", "=".join(each))),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self.owner,
        )
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                psycopg.connect(self.url().replace("+psycopg", "")).close()
                return
            except psycopg.OperationalError as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise AbsentError(f"PostgreSQL does not start: {error}") from error
                time.sleep(0.05)

    def end(self) -> None:
        """End it at once, whoever is connected."""
        if self.process is not None:
            self.process.terminate()
            try:
                # Until the last connection is gone it would wait for ever.
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                self.process.send_signal(2)
                self.process.wait(SECONDS)

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self.programs / program, *words],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            **self.owner,
        )
        if done.returncode:
            raise AbsentError(f"{program}: {' '.join(done.stderr.split())}")


@contextmanager
def private_server() -> Iterator[Server]:
    """A server that nobody else uses.

    Raises:
        AbsentError: there is none, and it cannot be installed.
    """
    programs = _programs() or _installed()
    # Not pytest's own folder: the server runs as another user, whom that does not let in.
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    try:
        owner = _owner()
        if owner:
            shutil.chown(folder, owner["user"], owner["group"])
        server = Server(programs, folder, owner)
        try:
            server.begin()
            yield server
        finally:
            server.end()
    finally:
        shutil.rmtree(folder)


def _programs() -> Path | None:
    """Where Debian has them, which is not on the PATH; else where initdb is."""
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(versions, key=lambda path: float(path.parts[4]), default=None)
    found = newest or shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def _installed() -> Path:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise AbsentError("no PostgreSQL here: apt-get install postgresql")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-qq", "--no-install-recommends", "postgresql"]
    # A fresh container knows no packages before it has asked.
    for command in (install, ["apt-get", "update", "-qq"], install):
        try:
            subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            break
        if programs := _programs():
            return programs
    raise AbsentError("no PostgreSQL here, and apt-get cannot install it")


def _owner() -> dict[str, Any]:
    """PostgreSQL refuses to be root's."""
    if os.geteuid() != 0:
        return {}
    names = {each.pw_name for each in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
