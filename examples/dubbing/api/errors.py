"""What goes wrong, as clients are told: always {"error": text}."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from examples.dubbing.api.views import NoSuchTask
from examples.dubbing.troubles import Lasting, Passing
from examples.running.database.database import DatabaseAway
from goatherd import Unavailable
from goatherd.errors import UnknownJob


def tell_errors(web: FastAPI) -> None:
    """Let this application answer so."""
    web.add_exception_handler(RequestValidationError, _bad_input)
    web.add_exception_handler(HTTPException, _http)
    for missing in (NoSuchTask, UnknownJob):
        web.add_exception_handler(missing, _not_there)
    for away in (Unavailable, DatabaseAway, Passing):
        web.add_exception_handler(away, _away)
    web.add_exception_handler(Lasting, _refused)


async def _bad_input(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [f"{'.'.join(map(str, one['loc'][1:])) or 'body'}: {one['msg']}" for one in error.errors()]
    return _told(422, "; ".join(problems))


async def _http(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _told(error.status_code, str(error.detail))


async def _not_there(_request: Request, error: Exception) -> Response:
    return _told(404, str(error))


async def _refused(_request: Request, error: Exception) -> Response:
    return _told(422, str(error))


async def _away(_request: Request, error: Exception) -> Response:
    return _told(503, f"Not accepted, try again: {error}", {"Retry-After": "1"})


def _told(status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": text}, status, headers)
