"""The processes that a browser speaks to: the gateway in a web service, and the gateway by itself."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from goatherd.model.stream_token import sign
from scripts.servers.ports import free_ports
from scripts.servers.private import PrivateServer, greeted

ROOT = Path(__file__).parents[2]
SECRET = "a secret of the tests, long enough"

#: Seconds of silence after which the gateway gives a sign of life; short, so that a lost one is noticed soon.
KEEPALIVE = 1


class Service(PrivateServer):
    """A gateway that can be killed and started again on the same port."""

    start_deadline = 30.0
    #: What is asked for to see whether it is there.
    probe: ClassVar[str]

    def __init__(self, folder: Path, events_url: str, more: Mapping[str, str] | None = None) -> None:
        super().__init__(folder)
        [self._port] = free_ports(1)
        self.events_url = events_url
        self._more = more or {}

    @property
    def port(self) -> int:
        return self._port

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _is_ready(self) -> bool:
        return greeted(self._port, f"GET {self.probe} HTTP/1.0\r\n\r\n".encode(), 12).endswith(b"200")

    def _environment(self) -> Mapping[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
            "GOATHERD_BROKER_URL": f"sqlite:///{self._folder}/jobs.db",
            "GOATHERD_EVENTS_URL": self.events_url,
            "GOATHERD_SECRET": SECRET,
            "GOATHERD_GATEWAY_KEEPALIVE": str(KEEPALIVE),
            "GOATHERD_GATEWAY_DRAIN": "0.5",
            **self._more,
        }


class Site(Service):
    """Pages and the gateway in one web service."""

    name = "the web service"
    probe = "/pages/watch.html"

    def _command(self) -> Sequence[str]:
        return [sys.executable, "-m", "tests.browser.site", str(self._port)]


class Gateway(Service):
    """`goatherd gateway`, by itself."""

    name = "the gateway"
    probe = "/readyz"

    def _command(self) -> Sequence[str]:
        return [sys.executable, "-m", "goatherd", "gateway", "tests.browser.site:app", "--port", str(self._port)]


def token_for(job_id: str, seconds: float = 600, subject: str = "reader") -> str:
    """What lets a reader follow a job."""
    return sign(SECRET, "tales", job_id, subject, time.time() + seconds)
