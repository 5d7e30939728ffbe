"""That a wish to change something comes from a page of ours, and not from another site that a visitor looks at.

A bearer token is added by a program on purpose. A cookie, a proxy's header, and being on this machine are not: browsers
add them to whatever any page sends. So such a wish must come from our own origin, as the browser tells it, and must
carry what only our pages know.
"""

from urllib.parse import parse_qsl, urlsplit

from goatherd.web.control.asked import Asked
from goatherd.web.control.keys import is_same
from goatherd.web.control.visitor import NotAllowed, Visitor

HEADER = b"x-csrf-token"
FIELD = "csrf"
SAFE = ("GET", "HEAD", "OPTIONS")


class StalePage(NotAllowed):
    """It comes from our origin, but from a page that was made before somebody signed in or out."""


def check(asked: Asked, visitor: Visitor, body: bytes) -> None:
    """See that the visitor wishes it, and not a page of others; raises NotAllowed."""
    if asked.method in SAFE or visitor.by == "token":
        return
    check_origin(asked)
    told = asked.header(HEADER) or _field(asked, body)
    if not visitor.csrf or not is_same(visitor.csrf, told):
        raise StalePage("This page is too old to act from. Load it again, and repeat what you did.")


def check_origin(asked: Asked) -> None:
    """See that a page of our own origin sends it; raises NotAllowed."""
    site = asked.header(b"sec-fetch-site")
    # Browsers leave it out where the connection is not secure; then there is the origin.
    if site != "same-origin" if site else not _is_ours(asked):
        raise NotAllowed("This came from a page of another site, so nothing was done.")


def _is_ours(asked: Asked) -> bool:
    try:
        origin = urlsplit(asked.header(b"origin"))
    except ValueError:
        return False
    return origin.scheme in ("http", "https") and bool(origin.netloc) and origin.netloc.lower() == asked.host


def _field(asked: Asked, body: bytes) -> str:
    if not asked.header(b"content-type").startswith("application/x-www-form-urlencoded"):
        return ""
    return dict(parse_qsl(body.decode("latin-1"))).get(FIELD, "")
