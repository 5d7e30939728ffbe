"""Statements that run inside a transaction of the user's own."""

from collections.abc import Sequence
from typing import Any

import msgspec


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
