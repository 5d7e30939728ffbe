"""Speak to a RabbitMQ through its management plugin, as an operator does."""

import base64
import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

#: Seconds within which the plugin must answer; it is slow when the machine is busy.
DEADLINE = 30.0


class Management:
    """One broker's management API."""

    def __init__(self, url: str) -> None:
        self.url = url
        parts = urlsplit(url)
        self._api = f"{parts.scheme}://{parts.hostname}:{parts.port}/api/"
        self._user = parts.username or "guest"
        self._credentials = f"{self._user}:{parts.password or 'guest'}".encode()

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """One request; raises HTTPError or URLError."""
        request = urllib.request.Request(
            self._api + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "content-type": "application/json",
                "authorization": "Basic " + base64.b64encode(self._credentials).decode(),
            },
        )
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    @contextmanager
    def virtual_host(self) -> Iterator[str]:
        """A virtual host of one's own: nobody else sees its queues, and all of it is gone afterwards."""
        name = f"test-{uuid4().hex}"
        self.ask("PUT", f"vhosts/{name}")
        try:
            self.allow(name, self._user)
            yield name
        finally:
            self.ask("DELETE", f"vhosts/{name}")

    def allow(self, virtual_host: str, user: str, **rights: str) -> None:
        """Let a user do everything in a virtual host, or less: `configure`, `write` and `read` are patterns."""
        everything = {"configure": ".*", "write": ".*", "read": ".*"}
        self.ask("PUT", f"permissions/{quote(virtual_host, safe='')}/{user}", everything | rights)

    def connections(self, virtual_host: str, name: str = "") -> list[str]:
        """The connections to a virtual host, oldest first: all, or those that call themselves so.

        The plugin learns of a connection a moment late, so ask again until you know that yours is among them.
        """
        found = self.ask("GET", f"vhosts/{quote(virtual_host, safe='')}/connections")
        named = [each for each in found if not name or each.get("user_provided_name") == name]
        return [each["name"] for each in sorted(named, key=lambda each: each.get("connected_at", 0))]

    def hang_up(self, connection: str) -> None:
        """Close a connection from the broker's side."""
        self.ask("DELETE", f"connections/{quote(connection, safe='')}")


def with_virtual_host(url: str, virtual_host: str) -> str:
    """An AMQP URL without a virtual host, with this one."""
    return f"{url.rstrip('/')}/{quote(virtual_host, safe='')}"
