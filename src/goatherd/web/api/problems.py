"""Errors as programs are told them (RFC 9457), and which of them each kind of request may meet."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """What went wrong, in words, and what to do about it."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Not there",
                "status": 404,
                "detail": "There is no queue 'mial'. There are mail, shop.",
            }
        }
    )

    type: str = Field(description="Always `about:blank`: the status says what kind of problem it is.")
    title: str = Field(description="The kind of problem in a few words.")
    status: int = Field(description="The status of the answer.")
    detail: str = Field(description="What happened, to what, and what to do.")
    problems: dict[str, str] | None = Field(None, description="What is wrong, by parameter or argument; only with 422.")


def _told(*statuses: int) -> dict[int | str, dict[str, Any]]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": WORDS[status], "content": {MEDIA_TYPE: {"schema": schema}}} for status in statuses
    }  # fmt: skip


WORDS = {
    400: "The body cannot be read as JSON.",
    401: "No token, or none of this dashboard's.",
    403: "A viewer may not act; or a browser's request came from another site.",
    404: "What is named is not there.",
    405: "Another method is meant for this path.",
    409: "It is there, but this cannot be done to it as it stands; nothing was changed.",
    413: "The body is larger than any that is of use here.",
    422: "A parameter or an argument is not right; `problems` tells which, and why.",
    429: "Too many watch already; `Retry-After` tells when to come back.",
    500: "It did not work; the log of the dashboard says more.",
    503: "A store is away for now; `Retry-After` tells when to come back.",
}

#: Of every request; of those that name one thing; of those that change something.
ALWAYS = _told(401, 403, 405, 422, 500, 503)
NAMED = _told(404)
ACTING = _told(400, 409, 413)
CROWDED = _told(429)
BAD_CURSOR = {400: _told(400)[400] | {"description": "The cursor makes no sense."}}
