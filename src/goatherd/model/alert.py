"""What a person should look at."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

#: - `lag`: jobs of a queue wait for too long, or too many of them do.
#: - `dead_letters`: jobs were given up, and nobody has decided what becomes of them.
#: - `held_lane`: a job with a key was given up, and those behind it wait until somebody decides.
#: - `listener`: one of the queues that data wants is not listened to.
#: - `missed_tick`: a schedule was not fired in time.
#: - `drift`: the broker is not as the app wants it.
#: - `inbox`: commands from outside do not come in.
#: - `tally`: totals do not become jobs.
AlertKind: TypeAlias = Literal["lag", "dead_letters", "held_lane", "listener", "missed_tick", "drift", "inbox", "tally"]


@dataclass(frozen=True, kw_only=True)
class Alert:
    """A condition that needs a person, debounced; told once more when it is over."""

    kind: AlertKind
    #: The queue, schedule, pattern of listeners, inbox, tally or virtual host that it is about.
    subject: str
    message: str
    since: datetime
    #: When it was over; None while it lasts.
    resolved_at: datetime | None = None

    def __str__(self) -> str:
        """In one line."""
        if self.resolved_at is None:
            return f"{self.kind} {self.subject}: {self.message}"
        return f"{self.kind} {self.subject}: resolved; it was: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values for JSON."""
        return {
            "state": "firing" if self.resolved_at is None else "resolved",
            "kind": self.kind,
            "subject": self.subject,
            "message": self.message,
            "since": self.since.isoformat(),
            "resolved_at": None if self.resolved_at is None else self.resolved_at.isoformat(),
            "text": str(self),
        }
