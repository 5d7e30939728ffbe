"""Who may watch a job: whoever has a token for it. A job's id alone opens nothing.

It is decided before anybody looks whether there is such a job, so a stranger learns nothing.
"""

from collections.abc import Mapping, Sequence

from goatherd.app import Goatherd
from goatherd.errors import SettingsError
from goatherd.model.stream_token import BadToken, StreamToken, verify
from goatherd.web.asgi import Request
from goatherd.web.responses import Refusal

COOKIE = "goatherd_stream"


class Access:
    """The apps whose jobs can be watched, and their secrets."""

    def __init__(self, apps: Sequence[Goatherd], *, open_to_all: bool) -> None:
        self.apps: Mapping[str, Goatherd] = {app.name: app for app in apps}
        self.open_to_all = open_to_all

    def check_secrets(self) -> None:
        """See that tokens can be checked; raises SettingsError."""
        missing = [app.name for app in self.apps.values() if app.settings.secret is None]
        if missing and not self.open_to_all:
            told = (
                f"secret is not set for the app {', '.join(missing)}, so nobody could be let in; set GOATHERD_SECRET "
                f"to a long random text, the same for the gateway and for those who start jobs"
            )
            raise SettingsError([told])

    def app_of(self, request: Request, app: str | None, job_id: str) -> tuple[Goatherd, StreamToken | None]:
        """The app whose job it is, and what the token says; raises Refusal. Without a name the token names the app."""
        if self.open_to_all:
            return self._named(app), None
        told = self._token(token_in(request))
        if job_id != told.job or app not in (None, told.app):
            raise Refusal(403, "This token is for another stream.")
        return self.apps[told.app], told

    def _token(self, text: str) -> StreamToken:
        for app in self.apps.values():
            secret = app.settings.secret
            if secret is None:
                continue
            try:
                told = verify(secret, text, app.clock.now())
            except BadToken:
                continue
            if told.app == app.name:
                return told
        why = "A token for this stream is needed." if not text else "This token is not valid, or no longer."
        raise Refusal(401, why, [(b"www-authenticate", b"Bearer")])

    def _named(self, name: str | None) -> Goatherd:
        if name is None and len(self.apps) == 1:
            return next(iter(self.apps.values()))
        if name is None:
            raise Refusal(400, f"Say which service is meant: service={' or '.join(self.apps)}.")
        if name not in self.apps:
            raise Refusal(404, f"There is no service {name!r} here.")
        return self.apps[name]


def token_in(request: Request) -> str:
    """The token of a request, or an empty text.

    What was said for this very request counts more than a cookie, which the browser adds by itself.
    """
    kind, _, credentials = request.header(b"authorization").partition(" ")
    if kind.lower() == "bearer":
        return credentials.strip()
    return request.query.get("token") or request.cookie(COOKIE)
