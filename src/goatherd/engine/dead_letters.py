"""Look at dead letters, put them back to work, or let them go."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from goatherd.engine.lane_returns import Returned, WayInOpener, belongs_in_lane, return_to_lanes
from goatherd.engine.run_letters import work_of_unit
from goatherd.model.dead_letter import DeadLetter, LetterFilter, StoredLetter
from goatherd.model.envelope import BROKEN, FromTheFuture, Unparsable, moment
from goatherd.model.formats import Format, Work
from goatherd.model.lane import shown
from goatherd.model.message import DEATHS, FAILURES, LANE, REFUSALS, REFUSED_SINCE, Delivery, Message
from goatherd.model.step_wire import TRY_AGAIN
from goatherd.ports.dead_letters import DeadLetters

#: Letters that are put back or discarded in one step, between which progress is told.
BATCH = 100

_COUNTS = (FAILURES, DEATHS, REFUSALS, REFUSED_SINCE)


def read_letter(stored: StoredLetter, layout: Format) -> DeadLetter:
    """A stored letter as people want to see it; what cannot be read from its bytes is None."""
    original, burial = stored.original, stored.burial
    work = work_of_unit(stored) or read_work(original, layout, stored.accepted)
    lane = original.headers.get(LANE)
    return DeadLetter(
        id=stored.id,
        job_id=work.job_id if work is not None else original.id,
        task=(work.task if work is not None else None) or original.task or None,
        queue=original.queue,
        key=shown(lane) if isinstance(lane, str) else None,
        arguments=arguments_of(work),
        body=original.body,
        reason=burial.reason,
        error_type=burial.error_type,
        message=burial.message,
        traceback=burial.traceback,
        attempts=burial.attempts,
        created_at=moment(work.created if work is not None else stored.accepted),
        failed_at=moment(burial.failed_at),
    )


def fresh_message(original: Message, layout: Format, arguments: Mapping[str, Any] | None = None) -> Message:
    """The message that puts a job back to work, with other arguments if given.

    All counts begin anew and a deadline is left out, for it may be what the job died of.
    """
    headers = {name: value for name, value in original.headers.items() if name not in _COUNTS}
    body = original.body
    # A step that others do is tried again by those who have its run on record.
    back = headers.get(TRY_AGAIN)
    queue = back if isinstance(back, str) else original.queue
    if arguments is not None:
        body = layout.afresh(body, msgspec.json.encode(arguments))
    elif read_work(original, layout) is not None:
        body = layout.afresh(body)
    return msgspec.structs.replace(original, queue=queue, body=body, headers=headers, due=None, expires=None)


class DeadLetterOffice:
    """The operations on dead letters."""

    def __init__(
        self,
        letters: DeadLetters,
        format_of: Callable[[str], Format],
        lanes: WayInOpener | None = None,
        have: Callable[[Collection[str]], Awaitable[None]] | None = None,
    ) -> None:
        """`have` makes those of some queues that come and go and are not there any more."""
        self._letters = letters
        self._format_of = format_of
        self._open_lanes = lanes
        self._have = have
        #: Where those went that were put back into lanes, in order.
        self.returned: list[Returned] = []

    async def find(self, wanted: LetterFilter, limit: int | None = None) -> AsyncIterator[DeadLetter]:
        """Matching letters, oldest first."""
        async for stored in self._letters.find(wanted, limit):
            yield read_letter(stored, self._format_of(stored.original.queue))

    async def get(self, letter_id: str) -> DeadLetter:
        """One letter; raises UnknownJob."""
        stored = await self._letters.get(letter_id)
        return read_letter(stored, self._format_of(stored.original.queue))

    async def replay_one(
        self, letter_id: str, arguments: Mapping[str, Any] | None = None, lane: str | None = None
    ) -> bool:
        """Put one letter back to work, with other arguments if given; false if someone else was faster.

        `lane` is the full key of the lane to which it belongs with these arguments, if that is another one.
        """
        stored = await self._letters.get(letter_id)
        message = self._fresh(stored, arguments)
        if lane is not None:
            message = msgspec.structs.replace(message, headers={**message.headers, LANE: lane})
        return await self._replay([(stored, message)]) == 1

    async def replay(self, wanted: LetterFilter, limit: int | None = None) -> AsyncIterator[int]:
        """Put all matching letters back to work; yields how many so far after each step."""
        replayed = 0
        async for batch in _batches(self._letters.find(wanted, limit)):
            replayed += await self.replay_these(batch)
            yield replayed

    async def replay_these(self, letters: Sequence[StoredLetter]) -> int:
        """Put these letters back to work; returns how many were still there."""
        return await self._replay([(stored, self._fresh(stored)) for stored in letters])

    async def discard(self, wanted: LetterFilter, limit: int | None = None) -> AsyncIterator[int]:
        """Delete all matching letters for good; yields how many so far after each step."""
        discarded = 0
        async for batch in _batches(self._letters.find(wanted, limit)):
            discarded += await self._letters.discard(batch)
            yield discarded

    async def discard_one(self, letter_id: str) -> bool:
        """Delete one letter for good; false if someone else was faster."""
        return await self._letters.discard([await self._letters.get(letter_id)]) == 1

    def _fresh(self, stored: StoredLetter, arguments: Mapping[str, Any] | None = None) -> Message:
        return fresh_message(stored.original, self._format_of(stored.original.queue), arguments)

    async def _replay(self, pairs: Sequence[tuple[StoredLetter, Message]]) -> int:
        ordered = [pair for pair in pairs if belongs_in_lane(pair[1])]
        loose = [pair for pair in pairs if not belongs_in_lane(pair[1])]
        if loose and self._have is not None:
            await self._have({message.queue for _, message in loose})
        replayed = await self._letters.replay(loose) if loose else 0
        if ordered:
            assert self._open_lanes is not None, "whoever puts jobs back into lanes gives the office a way in"
            # The letters go only when their jobs are safe; if we die in between, the next try finds them in the lanes.
            self.returned += await return_to_lanes(await self._open_lanes(), ordered)
            replayed += await self._letters.discard([stored for stored, _ in ordered])
        return replayed


async def _batches(letters: AsyncIterator[StoredLetter]) -> AsyncIterator[list[StoredLetter]]:
    """The letters in batches; all are known before the first is touched.

    A letter that fails again while others are still replayed must not be met a second time.
    """
    found = [stored async for stored in letters]
    rest = iter(found)
    while batch := list(islice(rest, BATCH)):
        yield batch


def read_work(message: Message, layout: Format, accepted: float = 0.0) -> Work | None:
    """What a message asks for; None if its bytes cannot be read."""
    try:
        return layout.decode(Delivery(message=message, accepted=accepted))
    except (Unparsable, FromTheFuture):
        return None


def arguments_of(work: Work | None) -> Mapping[str, object] | None:
    """Its arguments by name; None if they cannot be read."""
    if work is None:
        return None
    try:
        named: dict[str, object] = msgspec.json.decode(work.payload, type=dict[str, Any])
    except BROKEN:
        return None
    return named
