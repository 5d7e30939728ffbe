"""The event path: a job's numbered events, its state and its text, and a call when there are more."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from goatherd.model.admission import Append, Outcome
from goatherd.model.event import Entry, Position
from goatherd.model.job_state import JobState
from goatherd.model.reading import Reading

#: Called on the event loop when a job may have new events: with the events themselves where the store tells them,
#: else with nothing. Must not block and must not raise.
Wake: TypeAlias = Callable[[Sequence[Entry]], None]

#: Entries that are read at a time.
PAGE = 1000


class Watch(Protocol):
    """Somebody waits for a job's events."""

    async def stop(self) -> None:
        """Wait no more; when it returns, `wake` is not called again. Idempotent."""


class Events(Protocol):
    """Keeps what happens to tracked jobs; every adapter passes `goatherd.testing.suites.EventsSuite`.

    Used from one event loop. Every method has a deadline and raises `Unavailable`, with the driver's exception as its
    cause, when the store is away, full or read-only. All of them may be repeated: an append that was written and whose
    answer was lost is a duplicate the second time.

    A job's events are kept for `event_ttl` seconds after the last of them, and only the last ten thousand. Positions
    are contiguous within an epoch, whoever writes, and no position ever stands for two events: a log that was lost,
    or that may have lost its end, goes on under another epoch.
    """

    async def append(self, job_id: str, append: Append) -> Outcome:
        """Write all of its events, or none; log, state and text change in one step, and watchers are called.

        - `ok`: written, the last of them at `position`. What had been written before was left out.
        - `duplicate`: all of it had been written before. As good as `ok`.
        - `gap`: earlier events of this attempt are missing in the store, which lost them or never got them. Append
          from `expected` on, or, if that is no longer at hand, one `Snapshot` under the next number.
        - `fenced`: a later attempt has begun; whatever this one still writes is void.
        - `closed`: the job's last event has been written; nothing comes after it.

        The platform's word about a whole job (attempt 0) is never fenced. Its `Queued` is written once for each job,
        its `Retrying` once for each attempt, and the end once, whoever writes it.
        """

    async def state(self, job_id: str) -> JobState | None:
        """How a job stands; None if it is unknown or no longer kept."""

    async def read(self, job_id: str, after: Position | None, limit: int = PAGE) -> Reading | None:
        """The events after a position with the state, or the text with the state, as of one moment.

        Give BEGINNING for all events, None for none. `Reading.resumed` tells whether the entries go on where `after`
        was; if not, then events after it are no longer kept, and the state and the text stand for them. At most
        `limit` entries; `Reading.complete` tells whether these were all. None if the job is unknown.
        """

    async def watch(self, job_id: str, wake: Wake) -> Watch:
        """When it returns, every later append by anybody calls `wake`, until the watch is stopped.

        A call may be lost, doubled or late, and after a lost connection there is one for every watch. So whoever
        waits reads first, delivers only what follows directly on the last event, reads the log when something is
        missing, and looks again after some seconds of silence.
        """

    async def keep(self, job_id: str, seconds: float) -> None:
        """Keep it for so long from now, if that is longer; the next append sets `event_ttl` again.

        For jobs that are silent on purpose: delayed, or at work for hours.
        """

    async def forget(self, job_id: str) -> None:
        """Drop all that is kept of a job; positions in it are not used again."""

    async def close(self) -> None:
        """Stop every watch and let go of everything. Idempotent."""
