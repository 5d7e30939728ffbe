"""What goes wrong, as clients are told: always {"error": text}."""

import math

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from goatherd import Unavailable
from goatherd.errors import UnknownJob

#: Seconds after which a client may try again, if nobody knows better.
SOON = 5


def tell_errors(web: FastAPI) -> None:
    """Let this application answer so."""
    web.add_exception_handler(RequestValidationError, _bad_input)
    web.add_exception_handler(HTTPException, _http)
    web.add_exception_handler(Unavailable, _unavailable)
    web.add_exception_handler(UnknownJob, _unknown)


async def _bad_input(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [f"{'.'.join(map(str, one['loc'][1:])) or 'body'}: {one['msg']}" for one in error.errors()]
    return _told(422, "; ".join(problems))


async def _http(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _told(error.status_code, str(error.detail))


async def _unavailable(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Unavailable)
    told = _told(error.http_status, f"Not accepted, try again: {error}")
    told.headers["Retry-After"] = str(math.ceil(error.retry_after or SOON))
    return told


async def _unknown(_request: Request, error: Exception) -> Response:
    return _told(404, str(error))


def _told(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status)
