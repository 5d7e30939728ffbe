"""What a process says of itself."""

import json
import time
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Any

#: Seconds that a page may take; it has deadlines of its own, which are much shorter.
PATIENCE = 30.0


def asked(port: int, path: str) -> tuple[int, str]:
    """The status and the body."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def readiness(port: int) -> dict[str, Any]:
    """What `/readyz` says; that nobody is there yet is a way not to be ready."""
    try:
        status, body = asked(port, "/readyz")
    except (OSError, HTTPException) as error:
        return {"ready": False, "reasons": [f"nobody answers: {error!r}"], "ports": {}}
    told: dict[str, Any] = json.loads(body)
    assert (status == 200) == told["ready"], (status, body)
    assert status in (200, 503)
    return told


def until(port: int, come: Callable[[dict[str, Any]], bool], what: str, patience: float) -> dict[str, Any]:
    """Ask again and again."""
    deadline = time.monotonic() + patience
    while not come(told := readiness(port)):
        assert time.monotonic() < deadline, f"waited {patience:g} s in vain for {what}: {told}"
        time.sleep(0.1)
    return told
