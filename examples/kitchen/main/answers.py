"""What clients get: JSON, a status, and when to come again."""

import math
from typing import Any, TypeAlias

import msgspec
from flask import Response

#: What every route gives.
Answer: TypeAlias = Response

#: Statuses after which it is worth to try again, and in how many seconds if nobody said so.
TRY_AGAIN = {503: 1.0, 504: 5.0}


def told(body: Any, status: int = 200, *, retry_after: float | None = None) -> Answer:
    """An answer in JSON."""
    response = Response(msgspec.json.encode(body), status, content_type="application/json")
    wait = retry_after if retry_after is not None else TRY_AGAIN.get(status)
    if wait is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(wait)))
    return response


def failed(status: int, code: str, message: str, *, retry_after: float | None = None, **more: str) -> Answer:
    """An answer that says what went wrong."""
    return told({"error": {"code": code, "message": message, **more}}, status, retry_after=retry_after)
