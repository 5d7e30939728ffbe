"""Lists, a page at a time."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field

from goatherd.desk.errors import NotThere

T = TypeVar("T")

#: How far into a list one may go that has no places of its own to go on from.
FARTHEST = 10_000


class Listed(BaseModel, Generic[T]):
    """A page of a list."""

    items: Sequence[T]
    next: str | None = Field(
        default=None, description="Give it as `cursor` to get the next page; null if there is none."
    )

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """As the description of the API calls it."""
        return "".join(f"{each.__name__}List" for each in params)


def offset_in(cursor: str | None, farthest: int = FARTHEST) -> int:
    """How many were on the pages before; raises NotThere."""
    if not cursor:
        return 0
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 9 or int(cursor) > farthest:
        raise NotThere("page", cursor, "Begin with the first one, without a cursor.")
    return int(cursor)


def page_of(found: Sequence[T], offset: int, limit: int, farthest: int = FARTHEST) -> dict[str, Any]:
    """The part of a list that begins there, and where the next one does, as the fields of `Listed`."""
    end = offset + limit
    return {"items": found[offset:end], "next": str(end) if len(found) > end <= farthest else None}
