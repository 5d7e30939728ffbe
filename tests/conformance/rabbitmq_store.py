"""A virtual host of its own for each case."""

import json
import os
import urllib.request
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

import pytest

from goatherd.config import Settings
from goatherd.model.ids import new_id
from goatherd.ports.clock import SystemClock
from goatherd.wiring import Ports, open_ports


def manage(method: str, path: str, body: object = None) -> object:
    """Ask the broker's management API."""
    parts = urlsplit(os.environ["GOATHERD_TEST_RABBITMQ_MANAGEMENT_URL"])
    request = urllib.request.Request(
        f"{parts.scheme}://{parts.hostname}:{parts.port}/api/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    credentials = f"{parts.username}:{parts.password}".encode()
    import base64

    request.add_header("authorization", "Basic " + base64.b64encode(credentials).decode())
    with urllib.request.urlopen(request, timeout=20) as answer:
        text = answer.read()
    return json.loads(text) if text else None


class RabbitStore:
    queue_type = "quorum"

    @pytest.fixture
    def store(self) -> Iterator[str]:
        name = f"suite-{new_id()}"
        manage("PUT", f"vhosts/{name}")
        manage("PUT", f"permissions/{name}/guest", {"configure": ".*", "write": ".*", "read": ".*"})
        yield name
        manage("DELETE", f"vhosts/{name}")

    async def open(self, store: str) -> Ports:
        url = os.environ["GOATHERD_TEST_AMQP_URL"].rstrip("/") + "/" + quote(store, safe="")
        settings = Settings(broker_url=url, default_queue="suite", app="suite", queue_type=self.queue_type)  # type: ignore[arg-type]  # one of the two
        return await open_ports(settings, SystemClock())
