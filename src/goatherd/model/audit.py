"""What operators did, as it is on record."""

import msgspec


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One action of one person."""

    id: str
    #: In seconds since the epoch.
    at: float
    who: str
    #: What that person may do, and from which address the wish came.
    role: str
    address: str
    #: What was wished, as `queue.pause`, and of what.
    action: str
    target: str
    #: What else is known of it, in JSON.
    details: bytes = b"{}"
    #: `done`, or why not, in words.
    outcome: str = "done"


class AuditFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries; what is None or empty does not matter."""

    who: str | None = None
    action: str | None = None
    target: str | None = None
    #: Found in any of who, action, target, details and outcome, however it is written.
    text: str = ""
    #: From this moment on, and before that one.
    since: float | None = None
    until: float | None = None


class AuditPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where the next page begins: behind this entry."""

    at: float
    id: str

    @classmethod
    def of(cls, entry: AuditEntry) -> "AuditPlace":
        """The place of an entry."""
        return cls(at=entry.at, id=entry.id)
