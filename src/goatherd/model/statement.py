"""Statements that run inside a transaction of the user's own."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec


class Executes(Protocol):
    """A connection of psycopg, or a connection or session of SQLAlchemy; plain or async."""

    @property
    def execute(self) -> Callable[..., Any]:
        """Runs a statement."""


class HasCursor(Protocol):
    """Django's `connection`."""

    @property
    def cursor(self) -> Callable[..., Any]:
        """Opens what runs statements."""


#: What users have their transactions with.
UserConnection: TypeAlias = Executes | HasCursor


class Statement(msgspec.Struct, frozen=True):
    """SQL with a `%s` for each parameter, which gives one row or none."""

    sql: str
    parameters: Sequence[Any] = ()


class InLane(msgspec.Struct, frozen=True):
    """How a lane is moved on in a transaction of the user's own, who has the same database as the lanes."""

    #: Gives a row that says whether the user's connection is on that database.
    probe: Statement
    #: Gives a row that says 'done', 'newer' or 'applied'.
    commit: Statement
    #: What kind of database that is, so that one of another kind is not asked in a tongue that it does not know.
    kind: str = ""


class IntoLane(msgspec.Struct, frozen=True):
    """How jobs are put into lanes in a transaction of the user's own, who has the same database as the lanes."""

    #: Gives a row that says whether the user's connection is on that database.
    probe: Statement
    #: Gives a row with three lists: what became of each job, how many are ahead of it, and queues to ring for.
    enqueue: Statement
