"""Sign in with a token, and sign out."""

import logging
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from goatherd.web.control.csrf import check_origin
from goatherd.web.control.doors import BAD_TOKEN
from goatherd.web.control.visitor import NotAllowed, NotSignedIn
from goatherd.web.dashboard.asking import Form, asked_of, dashboard_of
from goatherd.web.dashboard.failures import answer_to, failure_of, sign_in_page
from goatherd.web.dashboard.rendering import path_of

PATH, LEAVE = "/sign-in", "/sign-out"

log = logging.getLogger("goatherd.dashboard")
router = APIRouter()


@router.get(PATH)
async def already(request: Request) -> Response:
    """Only who has signed in comes as far as this."""
    return RedirectResponse(path_of(request, "/"), 303)


@router.post(PATH)
async def sign_in(request: Request, form: Form) -> Response:
    """Take a token, and give a cookie for it."""
    doors, asked = dashboard_of(request).doors, asked_of(request)
    try:
        check_origin(asked)
    except NotAllowed as error:
        return await answer_to(request, error)
    role = doors.role_of(form.get("token", "").strip())
    if role is None:
        log.warning("Somebody at %s tried to sign in with a token that is none of ours", asked.address)
        return sign_in_page(request, failure_of(NotSignedIn(BAD_TOKEN)), _local(form.get("next", "")), tried=True)
    response = RedirectResponse(path_of(request, _local(form.get("next", ""))), 303)
    response.headers.append("set-cookie", doors.sessions.begin(role, asked))
    return response


@router.post(LEAVE)
async def sign_out(request: Request) -> Response:
    """Take the cookie away."""
    response = RedirectResponse(path_of(request, "/"), 303)
    response.headers.append("set-cookie", dashboard_of(request).doors.sessions.end(asked_of(request)))
    return response


def _local(path: str) -> str:
    """A path of ours, whatever was told: nobody is sent elsewhere."""
    try:
        parts = urlsplit(path.replace("\\", "/"))
    except ValueError:
        return "/"
    if parts.scheme or parts.netloc or not path.startswith("/") or path.startswith("//") or not path.isprintable():
        return "/"
    return path if parts.path not in (PATH, LEAVE) else "/"
