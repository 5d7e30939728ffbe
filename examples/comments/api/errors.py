"""What goes wrong, as clients are told: always {"error": text}."""

import math

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from examples.comments.api.accepting import PartlyRefused
from examples.comments.database.changes import NoSuchPost
from examples.running.database.database import DatabaseAway
from goatherd import Unavailable
from goatherd.errors import Refused


def tell_errors(web: FastAPI) -> None:
    """Let this application answer so."""
    web.add_exception_handler(RequestValidationError, _bad_input)
    web.add_exception_handler(HTTPException, _http)
    web.add_exception_handler(NoSuchPost, _no_such_post)
    web.add_exception_handler(PartlyRefused, _partly_refused)
    web.add_exception_handler(Unavailable, _unavailable)
    web.add_exception_handler(DatabaseAway, _away)


async def _bad_input(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [f"{'.'.join(map(str, one['loc'][1:])) or 'body'}: {one['msg']}" for one in error.errors()]
    return _told(422, "; ".join(problems))


async def _http(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _told(error.status_code, str(error.detail))


async def _no_such_post(_request: Request, error: Exception) -> Response:
    return _told(404, str(error))


async def _partly_refused(_request: Request, error: Exception) -> Response:
    """A lane that is full is the client's business (429), anything else is not (503)."""
    assert isinstance(error, PartlyRefused)
    accepted = [{"id": one.id, "post_id": one.post_id, "number": one.number} for one in error.accepted]
    many = f" {len(accepted)} of them were accepted." if accepted else ""
    return _refused(error.refusal, many, accepted=accepted)


async def _unavailable(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Unavailable)
    return _refused(error, "")


async def _away(_request: Request, error: Exception) -> Response:
    return _told(503, f"Not accepted: {error}", {"Retry-After": "1"})


def _refused(error: Unavailable, many: str, **more: object) -> Response:
    later = {"Retry-After": str(math.ceil(error.retry_after))}
    if isinstance(error, Refused):
        text = f"Too many comments wait for this post; try again when some of them are written.{many}"
        return _told(429, text, later, why=str(error), **more)
    return _told(error.http_status, f"Not accepted, try again: {error}{many}", later, **more)


def _told(status: int, text: str, headers: dict[str, str] | None = None, **more: object) -> Response:
    return JSONResponse({"error": text, **more}, status, headers)
