"""Write what happens to tracked jobs into their history."""

import logging
from collections.abc import Sequence

import msgspec

from goatherd.model.event import Done, Entry, Event, Failed, Position, encode
from goatherd.model.job_record import Told, notes_of
from goatherd.ports.events import Events
from goatherd.ports.feed import Fed
from goatherd.ports.records import JobHistory

log = logging.getLogger("goatherd.router")

#: Ends that somebody may want to look into.
_DEAD = ("failed", "lost", "expired")


class Projector:
    """From the feed to the history."""

    def __init__(self, events: Events, history: JobHistory) -> None:
        self._events = events
        self._history = history
        #: Events that went into the history, and those that nobody could read.
        self.noted = 0
        self.unreadable = 0

    async def project(self, batch: Sequence[Fed]) -> list[Fed]:
        """Note all of them; returns the ends of jobs that failed. May be repeated; raises Unavailable."""
        told: list[Told] = []
        dead: list[Fed] = []
        unreadable = 0
        for fed in batch:
            if fed.kind == "token":
                continue
            event = await self._event_of(fed)
            if event is None:
                unreadable += 1
                continue
            told.append(Told(job=fed.job, position=fed.position, event=event))
            if isinstance(event, Failed) and event.reason in _DEAD:
                dead.append(msgspec.structs.replace(fed, body=fed.body or encode(event)))
        if notes := notes_of(told):
            await self._history.note(notes)
        self.noted += len(told)
        self.unreadable += unreadable
        return dead

    async def _event_of(self, fed: Fed) -> Event | None:
        if not fed.body:
            return await self._from_log(fed)
        try:
            return Entry(position=fed.position, kind=fed.kind, body=fed.body).event()
        except msgspec.DecodeError as error:
            log.error("Event %s of job %s cannot be read and is passed over: %s", fed.position, fed.job, error)  # noqa: TRY400 - the text says it all
            return None

    async def _from_log(self, fed: Fed) -> Event | None:
        """An event that is too large for the feed; if its log is gone, then at least that the job has ended."""
        before = Position(fed.position.epoch, fed.position.seq - 1)
        reading = await self._events.read(fed.job, before, 1)
        if reading is not None and reading.resumed:
            for entry in reading.entries:
                if (entry.position.seq, entry.kind) == (fed.position.seq, fed.kind):
                    return entry.event()
        log.warning("Event %s of job %s was large, and its log is gone", fed.position, fed.job)
        if fed.kind == "done":
            return Done(attempt=0, at=fed.at, result=msgspec.Raw(b""))
        if fed.kind == "failed":
            return Failed(attempt=0, at=fed.at, reason="failed", error="", message="Its error was not kept.")
        return None
