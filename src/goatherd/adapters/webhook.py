"""Tell a webhook of alerts: one POST with JSON for each.

Alerts are few, so each has a connection of its own, in a thread.
"""

import asyncio
import http.client
import socket
import ssl
import time

import msgspec

from goatherd.adapters.webhook_address import WebhookAddress
from goatherd.errors import Unavailable
from goatherd.model.alert import Alert

#: Seconds that one POST may take.
DEADLINE = 10.0
#: Bytes of an answer that are read, and letters of it that are shown, to say what a webhook did not like.
READ, SHOWN = 4096, 200

_HEADERS = {"Content-Type": "application/json", "User-Agent": "goatherd", "Connection": "close"}


class Webhook:
    """Satisfies `AlertPost`."""

    def __init__(self, url: str, app: str, deadline: float = DEADLINE) -> None:
        self._address = WebhookAddress(url)
        self._app = app
        self._deadline = deadline

    async def tell(self, alert: Alert) -> None:
        told = {"app": self._app, **alert.to_dict(), "text": f"[{self._app}] {alert}"}
        body = msgspec.json.encode(told)
        line = _Line(self._address, self._deadline)
        try:
            async with asyncio.timeout(self._deadline):
                status, answer = await asyncio.to_thread(line.post, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # Among the first is TimeoutError, of the socket or ours.
            raise Unavailable(_trouble(self._address, error, self._deadline)) from error
        finally:
            line.hang_up()
        if not 200 <= status < 300:
            said = "in words that repeat its address" if self._address.is_in(answer) else repr(answer[:SHOWN])
            raise Unavailable(
                f"The webhook at {self._address} refused an alert with status {status}: {said}. Check "
                f"GOATHERD_ALERT_WEBHOOK and what listens there."
            )


async def knock(url: str, deadline: float = DEADLINE) -> None:
    """Only connect; raises Unavailable if nobody is there."""
    address = WebhookAddress(url)
    line = _Line(address, deadline)
    try:
        async with asyncio.timeout(deadline):
            await asyncio.to_thread(line.knock)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unavailable(_trouble(address, error, deadline)) from error
    finally:
        line.hang_up()


def public_address(url: str) -> str:
    """The address as it may be shown."""
    return str(WebhookAddress(url))


class _Line:
    """One connection, used by a thread; the loop may end it."""

    def __init__(self, address: WebhookAddress, deadline: float) -> None:
        self._address = address
        self._ends = time.monotonic() + deadline
        self._line: http.client.HTTPConnection | None = None
        self._over = False

    def connect(self) -> http.client.HTTPConnection:
        """Raises OSError."""
        host, port, left = self._address.host, self._address.port, self._left
        if self._address.secure:
            context = ssl.create_default_context()
            line: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, timeout=left, context=context)
        else:
            line = http.client.HTTPConnection(host, port, timeout=left)
        self._line = line
        try:
            line.connect()
            if self._over:
                raise TimeoutError
        except BaseException:
            line.close()
            raise
        return line

    def knock(self) -> None:
        """Connect and leave; raises the same."""
        self.connect().close()

    def post(self, body: bytes) -> tuple[int, str]:
        """The status, and the beginning of the answer; raises OSError or HTTPException."""
        line = self.connect()
        try:
            line.sock.settimeout(self._left)
            line.request("POST", self._address.target, body, {**_HEADERS, **self._address.headers})
            answer = line.getresponse()
            return answer.status, answer.read(READ).decode(errors="replace").strip()
        finally:
            line.close()

    def hang_up(self) -> None:
        """End it; the thread that uses it ends as soon as its socket does."""
        self._over = True
        if self._line is None or self._line.sock is None:
            return
        try:
            self._line.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It is closed already, which is what is wanted.
            return

    @property
    def _left(self) -> float:
        return max(0.001, self._ends - time.monotonic())


def _trouble(address: WebhookAddress, error: Exception, deadline: float) -> str:
    why = f"no answer within {deadline:g} s" if isinstance(error, TimeoutError) else str(error) or repr(error)
    if address.is_in(why):
        why = type(error).__name__
    return f"The webhook at {address} cannot be reached ({why}). Check GOATHERD_ALERT_WEBHOOK and what listens there."
