"""Ask a server over HTTP; what goes wrong is told as passing or lasting."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import httpx2

from examples.dubbing.troubles import Lasting, Passing

#: Statuses of a server that is only busy now; so is every one from 500 on.
BUSY = frozenset({408, 409, 425, 429})
#: Of what a server says when it refuses, so much is shown.
SHOWN = 300


@dataclass(frozen=True)
class Server:
    """Where it is; a key is never shown."""

    #: The variable that names it, for people who have to look there.
    setting: str
    url: str
    key: str | None = field(default=None, repr=False)
    #: Seconds that one answer may take.
    timeout: float = 60.0

    async def post(self, path: str, **request: Any) -> httpx2.Response:
        """Its answer; raises Passing or Lasting."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            async with (
                asyncio.timeout(self.timeout),
                httpx2.AsyncClient(timeout=self.timeout, headers=headers) as client,
            ):
                response = await client.post(f"{self.url.rstrip('/')}/{path}", **request)
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise Passing(f"{self.setting}: no answer to {path} within {self.timeout:g} s") from error
        except httpx2.HTTPError as error:
            raise Passing(f"{self.setting}: the server cannot be reached ({type(error).__name__})") from error
        if response.is_success:
            return response
        told = f"{self.setting}: {path} was answered with {response.status_code}: {response.text[:SHOWN]}"
        raise (Passing if response.status_code in BUSY or response.status_code >= 500 else Lasting)(told)
