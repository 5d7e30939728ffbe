"""Ask the database: with who we are, wherever it sends us, and with its refusals in our words."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from goatherd.adapters.firebase.address import Address
from goatherd.adapters.firebase.tokens import Tokens
from goatherd.errors import SettingsError, Unavailable

#: Seconds of silence after which a stream is given up; the database gives a sign of life every 30 s.
SILENCE = 50.0
#: Seconds that anything else may take without a byte.
DEADLINE = 15.0
#: How often the database may send us elsewhere.
_REDIRECTS = 5
#: Refusals that may pass: it is busy, locked for a while, or we ask too often.
_PASSING = frozenset((408, 409, 423, 425, 429))


class _WithoutTokens(logging.Filter):
    """The HTTP library tells of every request with its whole address, in which the database wants its token."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(_hidden(each) if isinstance(each, httpx2.URL) else each for each in record.args)
        return True


logging.getLogger("httpx2").addFilter(_WithoutTokens())


class Requests:
    """To one database."""

    def __init__(self, address: Address, tokens: Tokens) -> None:
        self._address = address
        self.tokens = tokens
        # A proxy of the environment is not for this machine.
        self._client = httpx2.AsyncClient(trust_env=not address.is_local, timeout=DEADLINE)

    async def close(self) -> None:
        """Let go of every connection."""
        await self._client.aclose()

    async def ask(self, method: str, url: str, content: bytes | None = None, *, limit: int) -> bytes:
        """The body of the answer; raises Unavailable, SettingsError, or Overlong if it is longer than the limit."""
        async with self.open(method, url, content) as response:
            parts, size = [], 0
            async for part in self.parts(response):
                parts.append(part)
                size += len(part)
                if size > limit:
                    raise Overlong(f"{self._address} answers with more than {limit:,} bytes")
            return b"".join(parts)

    @asynccontextmanager
    async def open(
        self, method: str, url: str, content: bytes | None = None, *, stream: bool = False
    ) -> AsyncIterator[httpx2.Response]:
        """An answer that is no refusal, its body not read yet; raises Unavailable or SettingsError."""
        response = await self._send(method, url, content, stream=stream)
        try:
            if response.status_code == 401 and await self.tokens.renew():
                await response.aclose()
                response = await self._send(method, url, content, stream=stream)
            if response.status_code // 100 != 2:
                raise await self._refusal(response)
            yield response
        finally:
            await response.aclose()

    async def parts(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """The body as it comes; raises Unavailable."""
        try:
            async for part in response.aiter_bytes():
                yield part
        except (httpx2.HTTPError, OSError) as error:
            raise self._lost(error) from error

    async def _send(self, method: str, url: str, content: bytes | None, *, stream: bool) -> httpx2.Response:
        for _ in range(_REDIRECTS):
            response = await self._send_once(method, url, content, stream=stream)
            if response.status_code not in (301, 302, 307, 308):
                return response
            url = self._onward(response)
            await response.aclose()
        raise Unavailable(f"{self._address} sends us from place to place without end")

    async def _send_once(self, method: str, url: str, content: bytes | None, *, stream: bool) -> httpx2.Response:
        credential = await self.tokens.current()
        query = {**dict(parse_qsl(urlsplit(url).query, keep_blank_values=True)), **credential.query}
        asked = urlsplit(url)._replace(query=urlencode(query)).geturl()
        headers = {**credential.headers, "Accept": "text/event-stream" if stream else "application/json"}
        timeout = httpx2.Timeout(DEADLINE, read=SILENCE) if stream else httpx2.Timeout(DEADLINE)
        try:
            request = self._client.build_request(method, asked, content=content, headers=headers, timeout=timeout)
            return await self._client.send(request, stream=True)
        except (httpx2.HTTPError, OSError) as error:
            raise self._lost(error) from error

    def _onward(self, response: httpx2.Response) -> str:
        """Where it sends us; who we are is told there as well, so that must be no less safe."""
        onward = str(response.url.join(response.headers.get("location", "")))
        if urlsplit(onward).scheme != "https" and self._address.origin.startswith("https:"):
            raise SettingsError([f"{self._address} sends us to an address without TLS, to which no token is told"])
        return onward

    async def _refusal(self, response: httpx2.Response) -> Unavailable | SettingsError:
        status = response.status_code
        said = ""
        async for part in self.parts(response):
            said += part.decode(errors="replace")
            if len(said) > 200:
                break
        told = f"{self._address} answers {status}: {self._without_secrets(' '.join(said.split())[:200])}"
        if status in (401, 403):
            hint = "give a valid ?auth=… in the address of the inbox, or GOOGLE_APPLICATION_CREDENTIALS"
            return SettingsError([f"{told}; {hint}, and let it read and write there"])
        if status // 100 == 4 and status not in _PASSING:
            return SettingsError([f"{told}; is the address of the inbox right?"])
        return Unavailable(told, retry_after=_seconds(response.headers.get("retry-after")))

    def _without_secrets(self, text: str) -> str:
        return text.replace(self._address.auth, "***") if self._address.auth else text

    def _lost(self, error: Exception) -> Unavailable:
        what = self._without_secrets(str(error)) or type(error).__name__
        return Unavailable(f"{self._address} cannot be reached: {what}")


class Overlong(Exception):
    """More was said at once than is read at once."""


def _hidden(url: httpx2.URL) -> httpx2.URL:
    return url.copy_set_param("auth", "***") if "auth" in url.params else url


def _seconds(text: str | None) -> float:
    return min(float(text), 600.0) if text is not None and text.isdecimal() else 1.0
