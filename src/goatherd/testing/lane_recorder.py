"""Note what the app puts into lanes."""

from collections.abc import Callable, Iterable, Sequence

from goatherd.errors import Unavailable
from goatherd.model.lane import LaneItem, Placement, unpacked
from goatherd.model.message import Message
from goatherd.ports.lanes import Lanes
from goatherd.testing.callers import Callers
from goatherd.testing.lane_passage import LanePassage
from goatherd.testing.records import Records

#: Lets whoever waits for a job have an error.
Tell = Callable[[str, Exception], None]


TAKEN = ("placed", "later")


class LaneRecorder(LanePassage):
    """The app's way into its lanes."""

    def __init__(
        self, lanes: Lanes, note: Callable[[Message], None], records: Records, callers: Callers, tell: Tell
    ) -> None:
        super().__init__(lanes)
        self._note = note
        self._records = records
        self._callers = callers
        self._tell = tell

    async def enqueue(self, sender: str, number: int, items: Sequence[LaneItem]) -> Sequence[Placement]:
        messages = [unpacked(item.content) for item in items]
        # Noted before it is sent: a worker may start it before the store has answered. One whose id was sent before is
        # noted afterwards, for its lane may take it for the same job.
        new = {message.id: message for message in messages if self._records.task_of(message.id) is None}
        calls = [message.id for message in messages if message.reply_to]
        self._note_all(new.values())
        for job in calls:
            self._callers.asked(job, _Caller(job, self._tell))
        try:
            placements = await super().enqueue(sender, number, items)
        except Unavailable:
            self._not_sent([*new, *calls])
            raise
        answers = list(zip(messages, (placement.answer for placement in placements), strict=True))
        self._not_sent(message.id for message, answer in answers if answer == "full")
        self._note_all(message for message, answer in answers if answer in TAKEN and message.id not in new)
        if calls:
            self._callers.work()
        return placements

    def _note_all(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._note(message)

    def _not_sent(self, jobs: Iterable[str]) -> None:
        for job in jobs:
            self._callers.ended(job)
            self._records.not_sent([job])


class _Caller:
    """Whoever waits for a job in a lane; satisfies `Receipt`."""

    def __init__(self, job: str, tell: Tell) -> None:
        self._job = job
        self._tell = tell

    def taken(self) -> None:
        """The lane's own receipt says so."""

    def failed(self, error: Unavailable) -> None:
        self._tell(self._job, error)
