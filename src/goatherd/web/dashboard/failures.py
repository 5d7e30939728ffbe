"""What is answered when something cannot be: a page, a few words for a script, or a problem for a program."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from goatherd.desk.errors import NotNow, NotThere
from goatherd.errors import GoatherdError, InvalidArguments, JobFailed, Unavailable, UnknownJob
from goatherd.web.control.bodies import BadText, TooLarge
from goatherd.web.control.csrf import StalePage
from goatherd.web.control.visitor import NotAllowed, NotSignedIn
from goatherd.web.dashboard.asking import asked_of, dashboard_of
from goatherd.web.dashboard.letter_forms import BadForm
from goatherd.web.dashboard.rendering import render
from goatherd.web.dashboard.telling import Toast, trigger

log = logging.getLogger("goatherd.dashboard")


@dataclass(frozen=True)
class Failure:
    """What went wrong, in words for who asked."""

    status: int
    title: str
    words: str
    #: More, for programs.
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


NO_PAGE = "There is no such page."

#: The first that fits counts.
KINDS: tuple[tuple[type[GoatherdError], int, str], ...] = (
    (NotSignedIn, 401, "Sign in"),
    (NotAllowed, 403, "Not allowed"),
    (NotThere, 404, "Not there"),
    (UnknownJob, 404, "Not there"),
    (NotNow, 409, "Not now"),
    (TooLarge, 413, "Too large"),
    (BadForm, 422, "Not accepted"),
    (BadText, 422, "Not accepted"),
    (InvalidArguments, 422, "Not accepted"),
    (Unavailable, 503, "Not available for now"),
    (JobFailed, 409, "The job failed"),
)


def failure_of(error: Exception) -> Failure:
    """The words for an error; one that nobody expected is told in the log."""
    if isinstance(error, HTTPException):
        words = NO_PAGE if error.status_code == 404 else str(error.detail)
        return Failure(error.status_code, HTTPStatus(error.status_code).phrase, words, headers=error.headers or {})
    if isinstance(error, RequestValidationError):
        problems = {".".join(str(part) for part in each["loc"][1:]): str(each["msg"]) for each in error.errors()}
        words = "; ".join(f"{name or 'request'}: {told}" for name, told in problems.items())
        return Failure(422, "Not accepted", words, more={"problems": problems})
    for kind, status, title in KINDS:
        if isinstance(error, kind):
            return Failure(status, title, str(error), _more(error), _headers(error))
    if isinstance(error, GoatherdError):
        # Its words are written for operators, and an operator it is who reads them.
        log.warning("The dashboard could not do what was wished: %s", error)
        return Failure(500, "It did not work", str(error))
    log.error("The dashboard failed; this is a fault of Goatherd", exc_info=error)
    return Failure(500, "It did not work", "This is a fault of Goatherd; the log of the dashboard says more.")


def _more(error: GoatherdError) -> Mapping[str, Any]:
    return {"problems": error.problems} if isinstance(error, InvalidArguments) else {}


def _headers(error: GoatherdError) -> Mapping[str, str]:
    if isinstance(error, Unavailable):
        return {"retry-after": str(max(1, round(error.retry_after)))}
    return {"www-authenticate": "Bearer"} if isinstance(error, NotSignedIn) else {}


async def answer_to(request: Request, error: Exception) -> Response:
    """What to send, in the form that who asked can use."""
    failure, asked = failure_of(error), asked_of(request)
    if asked.is_htmx and not asked.path.startswith("/api/"):
        kind = "signed-out" if failure.status == 401 else "stale" if isinstance(error, StalePage) else "toast"
        told = trigger(**{kind: Toast("bad", failure.words)})
        return PlainTextResponse(failure.words, failure.status, {**failure.headers, **told})
    if not asked.wants_page:
        return problem(failure)
    if failure.status == 401:
        return sign_in_page(request, failure)
    response = render(request, "failure.html", status=failure.status, failure=failure)
    response.headers.update(failure.headers)
    return response


def sign_in_page(request: Request, failure: Failure, back: str | None = None, *, tried: bool = False) -> Response:
    """The form, which leads back to where somebody wanted to go."""
    asked = asked_of(request)
    if back is None:
        wanted = request.url.query
        back = quote(asked.path) + (f"?{wanted}" if wanted else "") if asked.method == "GET" else "/"
    can_sign_in = dashboard_of(request).doors.has_tokens
    told = {"failure": failure, "can_sign_in": can_sign_in, "next": back, "tried": tried}
    response = render(request, "sign_in.html", status=failure.status, **told)
    response.headers.update(failure.headers)
    return response


def problem(failure: Failure) -> JSONResponse:
    """As programs are told it (RFC 9457)."""
    told = {"type": "about:blank", "title": failure.title, "status": failure.status, "detail": failure.words}
    return JSONResponse(told | dict(failure.more), failure.status, dict(failure.headers), "application/problem+json")
