"""What a keyed job shows so that its effect is made once: in the lane itself, or in the user's own database."""

from typing import Any

import msgspec

from goatherd.engine.user_transaction import kind_of
from goatherd.engine.within import first_row, first_row_now
from goatherd.errors import DefinitionError, Fenced
from goatherd.model.lane import Fence, shown
from goatherd.model.statement import InLane, Statement

#: The table in the user's database that keeps, for each lane, who wrote last and what; and characters of a lane there.
FENCE_TABLE = "CREATE TABLE goatherd_fence (lane varchar(512) PRIMARY KEY, token bigint NOT NULL, seq bigint NOT NULL)"
LONGEST_FENCE = 512

_TAKE = (
    "INSERT INTO goatherd_fence (lane, token, seq) VALUES (%s, %s, %s) "
    "ON CONFLICT (lane) DO UPDATE SET token = excluded.token, seq = excluded.seq "
    "WHERE goatherd_fence.token <= excluded.token AND goatherd_fence.seq < excluded.seq RETURNING seq"
)
_LOOK = "SELECT token, seq FROM goatherd_fence WHERE lane = %s"


class Ticket(msgspec.Struct, kw_only=True):
    """Held by one attempt of a keyed job."""

    fence: Fence
    in_lane: InLane | None = None
    #: Whether the lane was moved on in the user's transaction, which may yet fail.
    used: bool = False
    #: Whether somebody newer was met who had its lane.
    refused: bool = False
    #: Whether the row was written in the user's transaction, which may yet fail.
    written: bool = False

    async def commit(self, connection: Any) -> None:
        """Finish the job inside the user's transaction; raises Fenced."""
        here = self._in_lane_with(connection)
        if here is not None and _first(await first_row(connection, here.probe)):
            self.used = True
            self._judge(str(_first(await first_row(connection, here.commit))))
            return
        try:
            taken = await first_row(connection, self._take())
            written = None if taken is not None else await first_row(connection, self._look())
        except Exception as error:
            raise _explained(error) from error
        self._compare(taken is not None, written)

    def commit_now(self, connection: Any) -> None:
        """The same for plain functions."""
        here = self._in_lane_with(connection)
        if here is not None and _first(first_row_now(connection, here.probe)):
            self.used = True
            self._judge(str(_first(first_row_now(connection, here.commit))))
            return
        try:
            taken = first_row_now(connection, self._take())
            written = None if taken is not None else first_row_now(connection, self._look())
        except Exception as error:
            raise _explained(error) from error
        self._compare(taken is not None, written)

    def _in_lane_with(self, connection: Any) -> InLane | None:
        """How the lane could be moved on there; None for a database of another kind than that of the lanes."""
        if self.in_lane is None or (self.in_lane.kind and kind_of(connection) not in (None, self.in_lane.kind)):
            return None
        return self.in_lane

    def _take(self) -> Statement:
        return Statement(_TAKE, (self.fence.key, self.fence.token, self.fence.seq))

    def _look(self) -> Statement:
        return Statement(_LOOK, (self.fence.key,))

    def _compare(self, taken: bool, written: Any) -> None:
        """Nothing was written if somebody newer wrote, and also if this very job was: which one, the row tells."""
        if taken:
            self.written = True
            return
        self._judge("newer" if written is None or written[0] > self.fence.token else "applied")

    def _judge(self, outcome: str) -> None:
        lane = shown(self.fence.key)
        if outcome == "newer":
            raise Fenced(f"The lane {lane} is with another worker now, so this attempt must not have an effect.")
        if outcome == "applied":
            raise Fenced(f"An earlier attempt of this job in lane {lane} had its effect.", applied=True)


def _first(row: Any) -> Any:
    return None if row is None else row[0]


def _explained(error: Exception) -> Exception:
    if isinstance(error, TypeError) or "goatherd_fence" not in str(error):
        return error
    return DefinitionError(
        f"ctx.commit_with() needs a table in the database of the connection that it is given. Make it once with: "
        f"{FENCE_TABLE};  The database said: {error}"
    )
