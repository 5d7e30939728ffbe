"""A store of events in memory whose calls the test delivers, or not, and which can lose what stores lose."""

from collections.abc import Sequence

import msgspec

from goatherd.errors import Unavailable
from goatherd.model.admission import Append, Outcome
from goatherd.model.event import Entry, Event, Position, encode, kind_of
from goatherd.model.job_state import JobState, change_by
from goatherd.model.reading import Kept, Reading
from goatherd.ports.events import PAGE, Wake


class Log:
    """One job as it is kept."""

    def __init__(self, epoch: str, seq: int = 0) -> None:
        self.state = JobState(epoch=epoch, seq=seq, status="queued")
        self.former = Position("", 0)
        self.entries: list[Entry] = []
        #: What each event did to the text: its number, whether it voids what was before, what it adds.
        self.pieces: list[tuple[int, bool, str]] = []
        #: Whether it may have lost its end, so that it goes on under another epoch.
        self.doubtful = False

    @property
    def text(self) -> str:
        return self.text_at(self.state.seq)

    def text_at(self, seq: int) -> str:
        told = ""
        for number, voids, text in self.pieces:
            if number <= seq:
                told = text if voids else told + text
        return told

    def write(self, event: Event) -> Entry:
        change, seq = change_by(event), self.state.seq + 1
        self.pieces.append((seq, change.voids_text, change.text))
        self.state = msgspec.structs.replace(self.state, **{**change.fields, "seq": seq, "attempt": event.attempt})
        entry = Entry(position=self.state.position, kind=kind_of(event), body=encode(event))
        self.entries.append(entry)
        return entry


class LeakyWatch:
    def __init__(self, store: "LeakyStore", job_id: str, wake: Wake) -> None:
        self.store, self.job_id, self.wake = store, job_id, wake

    async def stop(self) -> None:
        if self in self.store.watches:
            self.store.watches.remove(self)


class LeakyStore:
    """Satisfies `Events`, as far as followers use it."""

    def __init__(self) -> None:
        self.logs: dict[str, Log] = {}
        self.watches: list[LeakyWatch] = []
        #: Calls that were made and have not arrived.
        self.mail: list[tuple[str, Sequence[Entry]]] = []
        self.away = False
        self.reads: list[Position | None] = []
        self._epochs = 0

    # --- as a store ---------------------------------------------------------------------------------

    async def append(self, job_id: str, append: Append) -> Outcome:
        log = self.logs.setdefault(job_id, Log(self.new_epoch()))
        if log.doubtful:
            log.former, log.doubtful = log.state.position, False
            log.state = msgspec.structs.replace(log.state, epoch=self.new_epoch())
        entries = [log.write(event) for event in append.events]
        self.mail.append((job_id, entries))
        return Outcome(answer="ok", position=log.state.position)

    async def state(self, job_id: str) -> JobState | None:
        self._be_there()
        log = self.logs.get(job_id)
        return None if log is None else log.state

    async def read(self, job_id: str, after: Position | None, limit: int = PAGE) -> Reading | None:
        self._be_there()
        self.reads.append(after)
        log = self.logs.get(job_id)
        if log is None:
            return None
        first = log.entries[0].position.seq if log.entries else log.state.seq + 1
        kept = Kept(
            epoch=log.state.epoch,
            first=first,
            top=log.state.seq,
            former_epoch=log.former.epoch,
            former_top=log.former.seq,
        )
        if after is None or not kept.follows(after):
            return Reading(state=log.state, resumed=False, text=log.text)
        renamed = [
            msgspec.structs.replace(entry, position=Position(log.state.epoch, entry.position.seq))
            for entry in log.entries
            if entry.position.seq > after.seq
        ]
        return Reading(state=log.state, resumed=True, entries=renamed[:limit])

    async def watch(self, job_id: str, wake: Wake) -> LeakyWatch:
        self._be_there()
        self.watches.append(LeakyWatch(self, job_id, wake))
        return self.watches[-1]

    async def keep(self, job_id: str, seconds: float) -> None:
        """Everything is kept until it is lost."""

    async def forget(self, job_id: str) -> None:
        self.logs.pop(job_id, None)

    async def close(self) -> None:
        self.watches.clear()

    # --- in the hands of the test -------------------------------------------------------------------

    def deliver(self, index: int = 0) -> None:
        """Let one call arrive."""
        job_id, entries = self.mail.pop(index)
        self.ring(job_id, entries)

    def deliver_all(self) -> None:
        while self.mail:
            self.deliver()

    def ring(self, job_id: str, entries: Sequence[Entry] = ()) -> None:
        """Call whoever watches a job."""
        for watch in tuple(self.watches):
            if watch.job_id == job_id:
                watch.wake(entries)

    def trim(self, job_id: str, left: int) -> None:
        """Keep only the newest events."""
        log = self.logs[job_id]
        del log.entries[: max(0, len(log.entries) - left)]

    def lose_end(self, job_id: str, count: int) -> None:
        """Forget the newest events, as a server does that took over too early."""
        log = self.logs[job_id]
        count = min(count, len(log.entries) - 1)
        if count < 1:
            return
        top = log.entries[-count - 1].position
        del log.entries[-count:]
        log.pieces = [piece for piece in log.pieces if piece[0] <= top.seq]
        log.state = msgspec.structs.replace(log.state, seq=top.seq, closed=False, status="running")
        log.doubtful = True

    def begin_anew(self, job_id: str, *, counts_on: bool) -> None:
        """Lose the whole log, except perhaps its number; the next event begins another one."""
        self.logs[job_id] = Log(self.new_epoch(), self.logs[job_id].state.seq if counts_on else 0)

    def new_epoch(self) -> str:
        self._epochs += 1
        return f"e{self._epochs:x}"

    def _be_there(self) -> None:
        if self.away:
            raise Unavailable("The store is away.")
