"""A server that takes runs as W&B's does, as far as a run begins there; or refuses, or hangs."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Manner = Literal["takes", "refuses", "hangs", "revokes"]
"""It takes what it is sent, refuses the key, answers nothing, or refuses a key once a run began."""


Answers = Callable[[dict[str, Any]], dict[str, Any]]
"""Gives what is answered to a query."""


def answer(query: dict[str, Any]) -> dict[str, Any]:
    """What W&B says to a run that begins."""
    given = query.get("variables") or {}
    me = {"id": "1", "entity": "me", "username": "me", "flags": "{}", "teams": {"edges": []}}
    project = {"id": "2", "name": given.get("project"), "entity": {"id": "1", "name": "me"}}
    bucket = {"id": "3", "name": given.get("name"), "config": "{}", "project": project}
    files = {"runID": "3", "uploadHeaders": [], "files": []}
    answers = {
        "Viewer": {"viewer": me},
        "ServerFeaturesQuery": {"serverInfo": {"features": []}},
        "RunResumeStatus": {"model": {**project, "bucket": None}},
        "UpsertBucket": {"upsertBucket": {"bucket": bucket, "inserted": True}},
        "CreateRunFiles": {"createRunFiles": files},
    }
    return {"data": answers.get(query.get("operationName", ""), {})}


@contextmanager
def wandb_server(manner: Manner, answers: Answers = answer) -> Iterator[str]:
    """Serve on a free port, and give the address."""
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        revoked = manner == "refuses"

        def do_POST(self) -> None:
            if manner == "hangs":
                released.wait()
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            query = json.loads(sent) if self.path == "/graphql" else {}
            operation = query.get("operationName")
            refusal = {"errors": [{"message": "no such key"}]}
            content = json.dumps(refusal if Handler.revoked else answers(query)).encode()
            self.send_response(401 if Handler.revoked else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(ConnectionError):  # who hangs up is no longer interested
                self.wfile.write(content)
            if manner == "revokes" and operation == "UpsertBucket":
                Handler.revoked = True

        do_GET = do_PUT = do_POST  # noqa: N815 (the library's names)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        released.set()
        server.shutdown()
        server.server_close()
