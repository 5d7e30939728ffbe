"""Make a page, or only that part of it which a script wants to renew."""

from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Template

from goatherd.web.control.visitor import Visitor
from goatherd.web.dashboard.asking import VISITOR, asked_of, dashboard_of
from goatherd.web.dashboard.environment import environment
from goatherd.web.dashboard.telling import Toast, trigger

VERSION = version("goatherd")


def render(request: Request, template: str, *, status: int = 200, **facts: Any) -> HTMLResponse:
    """The page; or that block of the template alone which is named by `?part=`, if a script of ours asks for it."""
    found = environment().get_template(template)
    names = _shared(request) | facts
    part = part_of(request)
    text = _block(found, part, names) if part in found.blocks else found.render(names)
    # The same address gives a page to people, and a part to scripts.
    return HTMLResponse(text, status, headers={"vary": "HX-Request"})


def part_of(request: Request) -> str | None:
    """The part that a script of ours wants; None if it is the whole page."""
    if request.headers.get("hx-request") != "true" or request.headers.get("hx-history-restore-request") == "true":
        return None
    return request.query_params.get("part")


def done(request: Request, told: str, *, then: str) -> Response:
    """Something was done: say so on the page from which it was wished, or go to a page that shows it."""
    if request.headers.get("hx-request") == "true":
        return Response(status_code=204, headers=trigger(toast=Toast("good", told), changed=True))
    return RedirectResponse(path_of(request, then), 303)


def go(request: Request, then: str) -> Response:
    """Leave the page from which something was wished for another."""
    if request.headers.get("hx-request") == "true":
        return Response(status_code=204, headers={"HX-Redirect": path_of(request, then)})
    return RedirectResponse(path_of(request, then), 303)


def path_of(request: Request, path: str) -> str:
    """A path of ours as browsers have to ask for it."""
    return asked_of(request).root + path


def _block(template: Template, part: str, names: dict[str, Any]) -> str:
    pieces: Iterable[str] = template.blocks[part](template.new_context(names))
    return "".join(pieces)


def _shared(request: Request) -> dict[str, Any]:
    """What every template knows, the macros included."""
    asked, served = asked_of(request), dashboard_of(request)
    visitor: Visitor | None = request.scope.get(VISITOR)

    def url(path: str, /, **query: object) -> str:
        asked_for = urlencode({name: value for name, value in query.items() if value not in (None, "")})
        return asked.root + path + (f"?{asked_for}" if asked_for else "")

    def here_with(**changes: object) -> str:
        """This page with some of its query changed; None takes a name out."""
        query = {name: value for name, value in asked.query.items() if name != "part"}
        return url(quote(asked.path), **(query | changes))

    names = {
        "root": asked.root,
        "url": url,
        "here_with": here_with,
        "path": asked.path,
        "query": asked.query,
        "visitor": visitor,
        "csrf": visitor.csrf if visitor else "",
        "app_name": served.app.name,
        "pages": served.pages,
        "page_paths": {page.path for page in served.pages},
        "now": datetime.now(UTC),
        "version": VERSION,
    }
    return names | {"ui": environment().get_template("_macros.html").make_module(names)}
