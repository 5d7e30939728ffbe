"""Who we are to the database: a secret of its own, a service account of Google's, or nobody."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from goatherd.adapters.firebase.address import Address
from goatherd.errors import MissingExtra, SettingsError, Unavailable

#: Names the file of a service account.
VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
#: What a service account must be allowed.
_SCOPES = ("https://www.googleapis.com/auth/firebase.database", "https://www.googleapis.com/auth/userinfo.email")
#: Seconds that Google may take to give a token.
_DEADLINE = 30.0


@dataclass(frozen=True, kw_only=True)
class Credential:
    """What a request carries."""

    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Tokens(Protocol):
    """Gives what requests carry."""

    async def current(self) -> Credential:
        """Raises Unavailable or SettingsError."""

    async def renew(self) -> bool:
        """The last one was refused; true if there may be another."""


class FixedToken:
    """One that was given with the address, or none."""

    def __init__(self, auth: str | None) -> None:
        self._credential = Credential() if auth is None else Credential(query={"auth": auth})

    async def current(self) -> Credential:
        return self._credential

    async def renew(self) -> bool:
        return False


class ServiceAccount:
    """Of Google's, by the library google-auth."""

    def __init__(self, credentials: Any, request: Any) -> None:
        self._credentials = credentials
        self._request = request
        self._asking = asyncio.Lock()

    async def current(self) -> Credential:
        async with self._asking:
            if not self._credentials.valid:
                await self._refresh()
            return Credential(headers={"Authorization": f"Bearer {self._credentials.token}"})

    async def renew(self) -> bool:
        async with self._asking:
            await self._refresh()
        return True

    async def _refresh(self) -> None:
        failures = import_module("google.auth.exceptions")
        try:
            async with asyncio.timeout(_DEADLINE):
                await asyncio.to_thread(self._credentials.refresh, self._request)
        except (TimeoutError, failures.TransportError) as error:
            raise Unavailable(f"Google gives no token for {VARIABLE} now: {error}") from error
        except failures.GoogleAuthError as error:
            raise SettingsError([f"Google gives no token for the service account of {VARIABLE}: {error}"]) from error


def tokens_for(address: Address) -> Tokens:
    """What the address says, or else the environment; raises SettingsError or MissingExtra."""
    file = os.environ.get(VARIABLE)
    if address.auth is not None or not file or address.is_local:
        return FixedToken(address.auth)
    try:
        transport = import_module("google.auth.transport.requests")
        accounts = import_module("google.oauth2.service_account")
    except ImportError as error:
        missing = MissingExtra(f"{VARIABLE}, for an inbox on Firebase,", "firebase")
        missing.args = (f"{VARIABLE}, for an inbox on Firebase, needs: pip install 'google-auth[requests]'",)
        raise missing from error
    try:
        account = accounts.Credentials.from_service_account_file(file, scopes=_SCOPES)
    except (OSError, ValueError) as error:
        raise SettingsError([f"{VARIABLE} names no file of a service account: {error}"]) from error
    return ServiceAccount(account, transport.Request())
