"""The cookie of a browser that has signed in: what it may do, until when, and our signature.

Nothing is kept here, so any replica of the dashboard knows those who signed in at another.
"""

import hashlib
import secrets
from dataclasses import dataclass
from typing import get_args

from goatherd.ports.clock import Clock
from goatherd.web.control.asked import Asked
from goatherd.web.control.keys import Keys
from goatherd.web.control.visitor import Role

COOKIE = "goatherd_dashboard"
#: Seconds for which somebody is signed in.
LASTS = 12 * 3600


def cookie_of(app: str) -> str:
    """The name of the cookie of an app's dashboard."""
    return f"{COOKIE}_{hashlib.sha256(app.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class BrowserSession:
    """What a good cookie says."""

    role: Role
    id: str


class Sessions:
    """Makes cookies and reads them."""

    def __init__(self, app: str, keys: Keys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        #: Browsers do not tell ports of one host apart: each app has a cookie of its own.
        self.cookie = cookie_of(app)

    def begin(self, role: Role, asked: Asked) -> str:
        """The header Set-Cookie for somebody who has signed in."""
        text = f"{role}.{round(self._clock.now() + LASTS)}.{secrets.token_urlsafe(12)}"
        return self._cookie(f"{text}.{self._keys.sign('session', text)}", LASTS, asked)

    def end(self, asked: Asked) -> str:
        """The header Set-Cookie for somebody who signs out."""
        return self._cookie("", 0, asked)

    def read(self, asked: Asked) -> BrowserSession | None:
        """Who has signed in, if anybody has and it is not too long ago."""
        text, _, signature = asked.cookie(self.cookie).rpartition(".")
        if not text or not self._keys.is_signed("session", text, signature):
            return None
        role, until, id = text.split(".", 2)
        known = next((each for each in get_args(Role) if each == role), None)
        if known is None or float(until) < self._clock.now():
            return None
        return BrowserSession(known, id)

    def _cookie(self, value: str, seconds: int, asked: Asked) -> str:
        secure = "; Secure" if asked.scheme == "https" else ""
        where = f"Path={asked.root or '/'}; Max-Age={seconds}"
        return f"{self.cookie}={value}; {where}; HttpOnly; SameSite=Strict{secure}"
