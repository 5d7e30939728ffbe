"""What pages take as arguments: the open app, who asks, and the fields of a form."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request

from goatherd.app import Goatherd
from goatherd.web.control.asked import Asked
from goatherd.web.control.bodies import BadText, TooLarge
from goatherd.web.control.visitor import Visitor

if TYPE_CHECKING:
    from goatherd.web.dashboard.app import Dashboard

#: More than any form of ours has.
MOST_FIELDS = 10_000

#: Under these names requests carry what was found out about them on the way in.
VISITOR, ASKED, DASHBOARD = "goatherd.visitor", "goatherd.asked", "goatherd.dashboard"


def visitor_of(request: Request) -> Visitor:
    """Who asks; nobody comes as far as a page who is not known."""
    visitor: Visitor = request.scope[VISITOR]
    return visitor


def asked_of(request: Request) -> Asked:
    """The request, as it was seen on the way in."""
    asked: Asked = request.scope[ASKED]
    return asked


def dashboard_of(request: Request) -> "Dashboard":
    """The dashboard that serves it."""
    served: Dashboard = request.scope[DASHBOARD]
    return served


async def app_of(request: Request) -> Goatherd:
    """The app, open; raises Unavailable."""
    return await dashboard_of(request).opened.app()


class Fields(Mapping[str, str]):
    """The fields of a form by their names; of several with one name, the last."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._pairs = pairs
        self._last = dict(pairs)

    def __getitem__(self, name: str) -> str:
        return self._last[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._last)

    def __len__(self) -> int:
        return len(self._last)

    def every(self, name: str) -> list[str]:
        """All fields of that name, as ticked boxes make them."""
        return [value for each, value in self._pairs if each == name]


async def fields_of(request: Request) -> Fields:
    """The fields of the form that was sent, no file among them; raises TooLarge or BadText."""
    text = (await request.body()).decode("utf-8", "replace")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise TooLarge(f"The form has more than {MOST_FIELDS} fields.") from error
    if any("\0" in each for pair in pairs for each in pair):
        raise BadText
    return Fields(pairs)


Who = Annotated[Visitor, Depends(visitor_of)]
App = Annotated[Goatherd, Depends(app_of)]
Form = Annotated[Fields, Depends(fields_of)]
