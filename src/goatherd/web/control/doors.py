"""Who is let in, and as what: by a token, by our cookie, by the header of a trusted proxy, or because it is dev."""

from ipaddress import ip_network

from goatherd.app import Goatherd
from goatherd.model.settings import Settings
from goatherd.web.control.asked import Asked, is_among
from goatherd.web.control.keys import Keys, is_same
from goatherd.web.control.sessions import Sessions
from goatherd.web.control.visitor import NotAllowed, NotSignedIn, Role, Visitor

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1"))
#: How this machine is called in addresses of pages.
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
SIGNS_OF_A_PROXY = (b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip")
#: Longest name of a person that is believed.
LONGEST_NAME = 200

NOBODY_CAN = (
    "Nobody can sign in yet. Set GOATHERD_DASHBOARD_TOKEN to a long random text (at least 16 characters), and start "
    "the dashboard again; or let a proxy say who people are, with GOATHERD_DASHBOARD_USER_HEADER."
)
SIGN_IN = "Sign in with a token of this dashboard."
BAD_TOKEN = "This token is not one of this dashboard's."


class Doors:
    """Of one app's dashboard."""

    def __init__(self, app: Goatherd, *, open_to_all: bool) -> None:
        self._settings: Settings = app.settings
        self._open_to_all = open_to_all
        self.proxies = tuple(ip_network(each) for each in self._settings.dashboard_proxies)
        self.keys = Keys(self._settings)
        self.sessions = Sessions(app.name, self.keys, app.clock)

    @property
    def has_tokens(self) -> bool:
        """Whether people can sign in with one."""
        return bool(self._settings.dashboard_token or self._settings.dashboard_read_token)

    @property
    def trouble(self) -> str | None:
        """Why nobody at all can be let in; None if somebody can."""
        has_ways = self._open_to_all or self.has_tokens or self._settings.dashboard_user_header is not None
        return None if has_ways else NOBODY_CAN

    def visitor(self, asked: Asked) -> Visitor:
        """Who asks; raises NotSignedIn, or NotAllowed for strangers to this machine."""
        if self._open_to_all:
            return self._neighbour(asked)
        kind, _, token = asked.header(b"authorization").partition(" ")
        is_bearer = kind.lower() == "bearer"
        if is_bearer and (role := self.role_of(token.strip())) is not None:
            return Visitor(name=f"{role} token", role=role, by="token", address=asked.address)
        # A proxy may pass on a token of its own, which is none of ours, beside the name.
        found = self._by_proxy(asked) or (None if is_bearer else self._by_cookie(asked))
        if found is None:
            raise NotSignedIn(self.trouble or (BAD_TOKEN if is_bearer else SIGN_IN))
        return found

    def role_of(self, token: str) -> Role | None:
        """What a token allows; None if it is none of ours."""
        operator, viewer = self._settings.dashboard_token, self._settings.dashboard_read_token
        # Both are compared in any case, so that the time tells nothing.
        is_operator, is_viewer = is_same(operator or "", token), is_same(viewer or "", token)
        if operator and is_operator:
            return "operator"
        return "viewer" if viewer and is_viewer else None

    def _by_cookie(self, asked: Asked) -> Visitor | None:
        session = self.sessions.read(asked) if self.has_tokens else None
        if session is None:
            return None
        if session.role == "operator" and self._settings.dashboard_token is None:
            # Where there is only a token for viewers, they know all that cookies are signed with.
            return None
        csrf = self.keys.sign("form", session.id)
        return Visitor(
            name=f"{session.role} token", role=session.role, by="cookie", address=asked.address, csrf=csrf
        )  # fmt: skip

    def _by_proxy(self, asked: Asked) -> Visitor | None:
        header = self._settings.dashboard_user_header
        if header is None or not asked.came_by_proxy:
            return None
        names = asked.headers_of(header.lower().encode())
        # Two of them: the proxy let one pass that a stranger wrote, and nobody knows which.
        if len(names) != 1 or not names[0].strip() or len(names[0]) > LONGEST_NAME:
            return None
        name = names[0].strip()
        role: Role = "operator" if name in self._settings.dashboard_operators else "viewer"
        csrf = self.keys.sign("form of", name)
        return Visitor(name=name, role=role, by="proxy", address=asked.address, csrf=csrf)

    def _neighbour(self, asked: Asked) -> Visitor:
        """Everybody on this machine, unless a page of another site got the browser to ask in its name."""
        host = asked.header(b"host").lower()
        name = host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]
        if name not in LOOPBACK_NAMES:
            raise NotAllowed(f"Without a token this dashboard is only for http://localhost, not for {host[:100]!r}.")
        # Who comes through a proxy or a tunnel on this machine may be anybody.
        if not is_among(asked.address, LOOPBACK) or any(asked.header(name) for name in SIGNS_OF_A_PROXY):
            raise NotAllowed("Without a token this dashboard is only for programs of its own machine.")
        return Visitor(
            name="dev", role="operator", by="dev", address=asked.address, csrf=self.keys.sign("form", "dev")
        )  # fmt: skip
