"""Where commands come from, as it may be shown."""

from urllib.parse import parse_qsl, urlencode, urlsplit

from goatherd.errors import DefinitionError

#: How the address of a source may begin.
SCHEMES = (
    *("firebase+https", "firebase+http"),
    *("redis", "rediss", "redis+sentinel", "rediss+sentinel"),
)
#: What is no secret and says which source it is.
_SHOWN = ("group", "list", "ns", "stream")


def public_address(url: str) -> str:
    """The address without anything that could be a secret; raises DefinitionError, which shows none either."""
    try:
        parts = urlsplit(url)
        scheme, places = parts.scheme.lower(), parts.netloc.rpartition("@")[2]
        query = [(name, value) for name, value in parse_qsl(parts.query) if name in _SHOWN]
    except ValueError:
        raise DefinitionError(_told("cannot be read")) from None
    if scheme not in SCHEMES:
        raise DefinitionError(_told(f"begins with {scheme}://" if "://" in url else "is no URL"))
    told = f"{scheme}://{places}/{parts.path.strip('/')}"
    return f"{told}?{urlencode(sorted(query))}" if query else told


def _told(what: str) -> str:
    return (
        f"The address of an inbox {what}. Write firebase+https://<database>/<path>, redis://<host>/0?list=<key> or "
        f"redis://<host>/0?stream=<key>."
    )
