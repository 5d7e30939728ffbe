"""What requests may say, and how much of it."""

import re
from typing import Annotated, Any

import msgspec
from fastapi import HTTPException, Path, Query, Request
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from goatherd.errors import InvalidArguments

#: Things on one page, unless told otherwise, and at most.
USUAL, MOST = 50, 500
#: Characters of a name or text, and of an id that somebody chooses.
LONGEST, LONGEST_ID = 1000, 200
#: How a time that can be understood begins.
DATE = re.compile(r"\d{4}-\d\d-\d\d[Tt ]")
#: Seconds; a little over a year.
LONGEST_DELAY = 400 * 86400.0


def _written(value: object) -> object:
    """Numbers are no times here: nobody could tell seconds from milliseconds."""
    if value is not None and not (isinstance(value, str) and DATE.match(value)):
        raise ValueError("give a date and a time with a zone, as 2030-01-01T00:00:00Z")
    return value


Time = Annotated[AwareDatetime, BeforeValidator(_written)]
Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Cursor = Annotated[
    str | None, Query(max_length=LONGEST, description="The `next` of the page before; none for the first page.")
]
Text = Annotated[str, Query(max_length=LONGEST, description="Words to look for.")]
Chosen = Annotated[str | None, Query(max_length=LONGEST)]
Moment = Annotated[Time | None, Query(description="With a time zone, as `2030-01-01T00:00:00Z`.")]
Name = Annotated[str, Path(min_length=1, max_length=LONGEST)]


class Body(BaseModel):
    """What a request may carry as JSON; names that mean nothing are refused, so that no mistake goes unseen."""

    model_config = ConfigDict(extra="forbid")


#: A name in a body.
Word = Annotated[str, Field(min_length=1, max_length=LONGEST, pattern=r"^[^\x00]*$")]


def check_text(request: Request) -> None:
    """No store takes a NUL in a name."""
    if "\x00" in request.scope["path"] or b"%00" in request.scope.get("query_string", b""):
        raise HTTPException(422, "The character NUL is in no name and in no text.")


def check_arguments(task: str, arguments: dict[str, Any]) -> None:
    """See that they can be JSON again, as they will have to be on a queue; raises InvalidArguments."""
    try:
        msgspec.json.encode(arguments)
    except (ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise InvalidArguments(task, {"arguments": f"not JSON that others can read: {error}"}) from error
