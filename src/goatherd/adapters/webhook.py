"""Tell a webhook of alerts: one POST with JSON for each.

Alerts are few, so each has a connection of its own, in a thread. The address may be a secret, as it is with many chat
services, so nothing but its host is ever shown.
"""

import asyncio
import base64
import http.client
import socket
import ssl
import time
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from goatherd.errors import Unavailable
from goatherd.model.alert import Alert

#: Seconds that one POST may take.
DEADLINE = 10.0
#: Bytes of an answer that are looked at, to say what a webhook did not like.
SHOWN = 200


class Webhook:
    """Satisfies `AlertPost`."""

    def __init__(self, url: str, app: str, deadline: float = DEADLINE) -> None:
        self._url = urlsplit(url)
        self._app = app
        self._deadline = deadline

    async def tell(self, alert: Alert) -> None:
        told = {"app": self._app, **alert.to_dict(), "text": f"[{self._app}] {alert}"}
        body = msgspec.json.encode(told)
        line = _Line(self._url, self._deadline)
        try:
            async with asyncio.timeout(self._deadline):
                status, answer = await asyncio.to_thread(line.post, body, _headers(self._url))
        except (OSError, http.client.HTTPException, ValueError) as error:
            # Among the first is TimeoutError, of the socket or ours.
            raise Unavailable(_trouble(self._url, error, self._deadline)) from error
        finally:
            line.hang_up()
        if not 200 <= status < 300:
            raise Unavailable(
                f"The webhook at {_shown(self._url)} refused an alert with status {status}: {answer!r}. Check "
                f"GOATHERD_ALERT_WEBHOOK and what listens there."
            )


async def knock(url: str, deadline: float = DEADLINE) -> None:
    """Only connect; raises Unavailable if nobody is there."""
    address = urlsplit(url)
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
    return _shown(urlsplit(url))


class _Line:
    """One connection, used by a thread; the loop may end it."""

    def __init__(self, url: SplitResult, deadline: float) -> None:
        self._url = url
        self._ends = time.monotonic() + deadline
        self._line: http.client.HTTPConnection | None = None
        self._over = False

    def connect(self) -> http.client.HTTPConnection:
        """Raises OSError."""
        host, port, left = self._url.hostname or "", self._url.port, self._left
        if self._url.scheme == "https":
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

    def post(self, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        """The status, and the beginning of the answer; raises OSError or HTTPException."""
        line = self.connect()
        try:
            line.sock.settimeout(self._left)
            line.request("POST", self._url._replace(scheme="", netloc="", fragment="").geturl() or "/", body, headers)
            answer = line.getresponse()
            return answer.status, answer.read(SHOWN).decode(errors="replace").strip()
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


def _headers(url: SplitResult) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "User-Agent": "goatherd", "Connection": "close"}
    if url.username is not None:
        who = f"{unquote(url.username)}:{unquote(url.password or '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(who.encode()).decode()}"
    return headers


def _shown(url: SplitResult) -> str:
    host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname
    return f"{url.scheme}://{host}" + (f":{url.port}" if url.port else "")


def _trouble(url: SplitResult, error: Exception, deadline: float) -> str:
    why = f"no answer within {deadline:g} s" if isinstance(error, TimeoutError) else str(error) or repr(error)
    where = _shown(url)
    return f"The webhook at {where} cannot be reached ({why}). Check GOATHERD_ALERT_WEBHOOK and what listens there."
