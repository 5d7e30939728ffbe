"""Speak HTTP with the management API of a broker.

Requests are few and answers can be large, so each has a connection of its own, in a thread.
"""

import asyncio
import base64
import http.client
import json
import socket
import ssl
import time
from typing import Any
from urllib.parse import quote

from goatherd.adapters.rabbitmq.management_address import ManagementAddress
from goatherd.errors import SettingsError, Unavailable

#: Seconds within which an answer must be complete; a broker with very many queues is slow.
DEADLINE = 30.0
#: Bytes that are read at a time.
_PIECE = 65_536


class NoManagement(Unavailable):
    """Nothing answers there: the plugin is not enabled, or it is elsewhere."""


class NotThere(Exception):
    """The API has nothing at this path."""


class Management:
    """One broker's API."""

    def __init__(self, address: ManagementAddress, deadline: float = DEADLINE) -> None:
        self.address = address
        self._deadline = deadline
        #: The time on the broker's machine when it last answered, as HTTP writes it.
        self.date: str | None = None
        token = base64.b64encode(f"{address.user}:{address.password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {token}", "Accept": "application/json", "Connection": "close"}

    async def ask(self, path: str, method: str = "GET", body: object = None) -> Any:
        """What the API answers at `/api/<path>`; None if it says nothing.

        Raises NotThere, SettingsError if we may not ask, NoManagement, or Unavailable.
        """
        refusals = []
        for node in self.address.nodes:
            request = _Request(self.address, node, self._deadline)
            try:
                told = await request.run(path, method, body, self._headers)
            except (ConnectionError, TimeoutError, socket.gaierror) as error:
                refusals.append(f"{node[0]}:{node[1]}: {str(error) or 'no answer in time'}")
            except ssl.SSLError as error:
                raise SettingsError([_mistrust(self.address, error)]) from error
            except (OSError, http.client.HTTPException) as error:
                refusals.append(f"{node[0]}:{node[1]}: {error!r}")
            else:
                self.date = request.date
                return told
        raise NoManagement(
            f"The management API of the broker cannot be reached at {self.address} ({'; '.join(refusals)}). Enable it "
            f"with `rabbitmq-plugins enable rabbitmq_management`, or set GOATHERD_MANAGEMENT_URL if it is elsewhere."
        )


def path_of(*parts: str) -> str:
    """A path of names, each escaped as a whole: the virtual host `/` is `%2F`."""
    return "/".join(quote(part, safe="") for part in parts)


class _Request:
    """One question to one node."""

    def __init__(self, address: ManagementAddress, node: tuple[str, int], deadline: float) -> None:
        self._address = address
        self._ends = time.monotonic() + deadline
        if address.tls is None:
            self._line = http.client.HTTPConnection(*node, timeout=address.connection_timeout)
        else:
            self._line = http.client.HTTPSConnection(*node, timeout=address.connection_timeout, context=address.tls)
        self._socket: socket.socket | None = None
        self.date: str | None = None

    async def run(self, path: str, method: str, body: object, headers: dict[str, str]) -> Any:
        """The answer; raises OSError or HTTPException where there is none."""
        try:
            async with asyncio.timeout(self._left):
                status, text = await asyncio.to_thread(self._talk, path, method, body, headers)
        except TimeoutError as error:
            if self._socket is None:
                raise
            self._hang_up()
            raise Unavailable(
                f"The management API at {self._address} did not answer {path!r} in time. Try again later."
            ) from error
        except asyncio.CancelledError:
            self._hang_up()
            raise
        return _read(status, text, path, self._address)

    @property
    def _left(self) -> float:
        return max(0.001, self._ends - time.monotonic())

    def _talk(self, path: str, method: str, body: object, headers: dict[str, str]) -> tuple[int, bytes]:
        try:
            self._line.connect()
            self._socket = line = self._line.sock
            line.settimeout(self._left)
            text = None if body is None else json.dumps(body).encode()
            more = {} if text is None else {"Content-Type": "application/json"}
            self._line.request(method, f"{self._address.prefix}/api/{path}", text, headers | more)
            answer = self._line.getresponse()
            self.date = answer.getheader("Date")
            pieces = []
            # It closes the socket itself as soon as all is read.
            while not answer.isclosed():
                line.settimeout(self._left)
                pieces.append(answer.read(_PIECE))
            return answer.status, b"".join(pieces)
        finally:
            self._line.close()

    def _hang_up(self) -> None:
        """The thread ends as soon as its socket does."""
        if self._socket is None:
            return
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It is closed already, which is what is wanted.
            return


def _read(status: int, text: bytes, path: str, address: ManagementAddress) -> Any:
    if status in (200, 201, 202, 204) and not text:
        return None
    try:
        told = json.loads(text) if text else {}
    except ValueError as error:
        told = error
    if isinstance(told, ValueError) or 300 <= status < 400:
        raise SettingsError(
            [f"What answers at {address} is not the management API of RabbitMQ (status {status}). Check host and port."]
        )
    if status < 300:
        return told
    reason = told.get("reason", told.get("error", "")) if isinstance(told, dict) else told
    if status in (401, 403):
        raise SettingsError([_refusal(address, reason)])
    if status == 404:
        raise NotThere(f"{address}/api/{path}: {reason}")
    raise Unavailable(f"The management API at {address} refused {path!r} with status {status}: {reason}.")


def _refusal(address: ManagementAddress, reason: object) -> str:
    return (
        f"The management API at {address} refused the user {address.user!r} ({reason}). Check its password; it also "
        f"needs a tag (`rabbitmqctl set_user_tags {address.user} policymaker`) and rights in the virtual host"
    )


def _mistrust(address: ManagementAddress, error: ssl.SSLError) -> str:
    return (
        f"No secure connection to the management API at {address} came about ({error}). Check that the port has TLS, "
        f"and name the authority of its certificate with cafile= in GOATHERD_BROKER_URL"
    )
