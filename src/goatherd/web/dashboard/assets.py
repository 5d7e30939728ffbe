"""Scripts and styles of the pages, from the package alone; they are no secret."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from goatherd.web.asgi import Headers
from goatherd.web.control.asked import Asked
from goatherd.web.responses import Response

PREFIX = "/static/"
FOLDERS = ("dashboard", "vendor")
TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
FOREVER, LOOK_AGAIN = b"public, max-age=31536000, immutable", b"no-cache"


@dataclass(frozen=True)
class Asset:
    """A file, and what tells this version of it from others."""

    body: bytes
    type: bytes
    version: str


@cache
def assets() -> dict[str, Asset]:
    """All of them by their paths below the prefix."""
    root = files("goatherd.web") / "static"
    files_by_path = {f"{folder}/{file.name}": file for folder in FOLDERS for file in (root / folder).iterdir()}
    # What others may build on to follow a job, our own pages do, too.
    files_by_path["goatherd.js"] = root / "goatherd.js"
    found = {}
    for path, file in files_by_path.items():
        kind = TYPES.get(PurePosixPath(path).suffix)
        if kind is not None:
            body = file.read_bytes()
            found[path] = Asset(body, kind, hashlib.sha256(body).hexdigest()[:16])
    return found


def styles() -> list[str]:
    """The style sheets of every page; those that others build on come first."""
    found = [name for name in assets() if name.startswith("dashboard/") and name.endswith(".css")]
    first = [f"dashboard/{name}.css" for name in ("colours", "layout", "parts", "tables", "charts")]
    return sorted(found, key=lambda name: (first.index(name) if name in first else len(first), name))


def address(name: str) -> str:
    """The path of an asset; another one for every version of it."""
    return f"{PREFIX}{name}?v={assets()[name].version}"


def asset(asked: Asked) -> Response:
    """The file that is asked for, or that the browser's copy of it is good."""
    found = assets().get(asked.path.removeprefix(PREFIX))
    if found is None:
        return Response(status=404, body=b"There is no such file.\n")
    if asked.method not in ("GET", "HEAD"):
        return Response(status=405, body=b"This can only be read.\n", headers=[(b"allow", b"GET, HEAD")])
    tag = f'"{found.version}"'
    keep = FOREVER if asked.query.get("v") == found.version else LOOK_AGAIN
    headers: Headers = [(b"etag", tag.encode()), (b"cache-control", keep)]
    if asked.header(b"if-none-match") == tag:
        return Response(status=304, headers=headers)
    return Response(status=200, headers=headers, body=found.body, type=found.type)
