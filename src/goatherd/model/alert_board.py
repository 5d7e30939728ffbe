"""Which alerts there are, who has been told of them and who has not: one board for all processes of an app.

A condition that lasts becomes a notice; a notice is told to every sink (the log, a webhook, functions of the program)
when it begins, now and then while it lasts, and when it has ended. All here is pure: whoever reads the board decides by
it, and is heard if nobody has written to it since.
"""

from datetime import UTC, datetime
from typing import TypeAlias

import msgspec

from goatherd.model.alert import Alert, AlertKind

Key: TypeAlias = tuple[AlertKind, str]
#: What was told, when it was last told, and when it ended.
News: TypeAlias = tuple[AlertKind, str, float | None, float | None]


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """A condition as somebody sees it now."""

    kind: AlertKind
    subject: str
    message: str
    #: Seconds for which it has been so already, as far as that is known.
    lasted: float = 0.0
    #: Seconds that it has to last before anybody is told.
    after: float = 0.0

    @property
    def key(self) -> Key:
        """Of two with equal keys, one goes on where the other was."""
        return self.kind, self.subject


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """All that one process sees at one moment."""

    sightings: tuple[Sighting, ...] = ()
    #: What could be looked at: whatever else is on the board is left as it is.
    kinds: frozenset[AlertKind] = frozenset()


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that was seen."""

    kind: AlertKind
    subject: str
    message: str
    since: float
    #: When it was last seen.
    seen: float
    #: When it was last told; None if it has not lasted long enough.
    told: float | None = None
    #: When it was over.
    ended: float | None = None
    #: The sinks that do not know yet of its beginning, that it lasts, or its end.
    owed: tuple[str, ...] = ()
    #: Until then somebody is telling them, or waits before the next try.
    try_at: float = 0.0
    tries: int = 0

    @property
    def key(self) -> Key:
        """What it is about."""
        return self.kind, self.subject

    @property
    def news(self) -> News:
        """What is to be told: another one as soon as there is something new."""
        return self.kind, self.subject, self.told, self.ended

    @property
    def owed_since(self) -> float:
        """When there was something to tell."""
        return self.seen if self.told is None else max(self.told, self.ended or 0.0)

    @property
    def alert(self) -> Alert:
        """As users see it."""
        ended = None if self.ended is None else datetime.fromtimestamp(self.ended, UTC)
        since = datetime.fromtimestamp(self.since, UTC)
        return Alert(kind=self.kind, subject=self.subject, message=self.message, since=since, resolved_at=ended)


class Board(msgspec.Struct, frozen=True):
    """All notices of an app."""

    notices: tuple[Notice, ...] = ()

    @classmethod
    def read(cls, text: bytes) -> "Board":
        """What somebody has written; an empty one if nobody has, or not in a way that this version understands."""
        try:
            return msgspec.json.decode(text, type=cls) if text else cls()
        except msgspec.DecodeError:
            # It was written by another version, and what lasts is seen again.
            return cls()

    def written(self) -> bytes:
        """The same for the store."""
        return msgspec.json.encode(self)


def joined(board: Board, other: Board) -> Board:
    """A board with what another one knows besides: what is on both is as on that which told it last."""
    known = {(notice.key, notice.told is None): notice for notice in board.notices}
    for notice in other.notices:
        which = notice.key, notice.told is None
        known[which] = _newer(known[which], notice) if which in known else notice
    told = {key for (key, untold), notice in known.items() if not untold and notice.ended is None}
    # What the one has not told yet, the other may have.
    return Board(tuple(notice for (key, untold), notice in known.items() if not (untold and key in told)))


def _newer(one: Notice, other: Notice) -> Notice:
    if one.told != other.told:
        return one if (one.told or 0.0) > (other.told or 0.0) else other
    if (one.ended is None) != (other.ended is None):
        return one if other.ended is None else other
    # Who was told by either knows.
    return msgspec.structs.replace(one, owed=tuple(sink for sink in one.owed if sink in other.owed))
