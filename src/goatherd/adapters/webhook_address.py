"""The address of a webhook: what is sent of it, and what may be shown."""

import base64
from collections.abc import Iterator
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

#: What stays as it is in a path and a query; what is written with % already is among it.
_PLAIN = "%/?:@!$&'()*+,;=~"
#: Letters from which on a part of the address may be a secret.
_SECRET = 4


class WebhookAddress:
    """Of one webhook. The address may be a secret, as it is with many chat services."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._parts = frozenset(part for part in _parts(self._url) if len(part) >= _SECRET)

    @property
    def secure(self) -> bool:
        """Whether it is spoken to with TLS."""
        return self._url.scheme == "https"

    @property
    def host(self) -> str:
        """Whom to connect to."""
        return self._url.hostname or ""

    @property
    def port(self) -> int:
        """Always told: an IPv6 address without one would be taken for one with a port."""
        return self._url.port or (443 if self.secure else 80)

    @property
    def target(self) -> str:
        """What stands in the first line of a request."""
        bare = self._url._replace(scheme="", netloc="", fragment="", path=quote(self._url.path, _PLAIN) or "/")
        return bare._replace(query=quote(self._url.query, _PLAIN)).geturl()

    @property
    def headers(self) -> dict[str, str]:
        """Who we are, if it says that."""
        if self._url.username is None:
            return {}
        who = f"{unquote(self._url.username)}:{unquote(self._url.password or '')}"
        return {"Authorization": f"Basic {base64.b64encode(who.encode()).decode()}"}

    def __str__(self) -> str:
        """As it may be shown: its host alone."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self._url.scheme}://{host}" + (f":{self._url.port}" if self._url.port else "")

    def is_in(self, text: str) -> bool:
        """Whether a text tells more of it than may be shown; many servers repeat what they were asked for."""
        return any(part in text for part in self._parts)


def _parts(url: SplitResult) -> Iterator[str]:
    written = [*url.path.split("/"), url.query, *(value for _, value in parse_qsl(url.query)), url.fragment]
    for part in (*written, url.username or "", url.password or ""):
        yield from (part, unquote(part), quote(part, _PLAIN))
