"""One who follows a job in a test and keeps what he was told: the text, as a page in a browser would show it."""

import asyncio
from collections.abc import Sequence

from goatherd.engine.follower import Follower
from goatherd.model.event import Entry, Snapshot, Started, Token
from goatherd.model.reading import Reading

JOB = "01K0000000000000000000000J"
#: Short, so that silence is soon noticed and a ring soon full.
LOOK_AFTER = 0.2
BUFFER = 5


class Watcher:
    """Notes everything that a follower hands out, and fails if it does not follow."""

    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self.text = ""
        self.told: list[Reading | Entry] = []
        self.position = follower.position
        self.problem: BaseException | None = None

    @property
    def kinds(self) -> list[str]:
        return [entry.kind if isinstance(entry, Entry) else "reading" for entry in self.told]

    async def take(self, patience: float = 10) -> Reading | Sequence[Entry]:
        """The next thing."""
        async with asyncio.timeout(patience):
            told = await self.follower.next()
        self.note(told)
        return told

    async def run(self) -> None:
        """Take everything until the end."""
        try:
            async for told in self.follower:
                self.note(told)
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.problem = error

    def note(self, told: Reading | Sequence[Entry]) -> None:
        if isinstance(told, Reading):
            assert not told.resumed
            assert told.text is not None
            self.text = told.text
            self.position = told.top
            self.told.append(told)
            return
        for entry in told:
            assert entry.position.seq == self.position.seq + 1, f"{entry.position} does not follow {self.position}"
            self.position = entry.position
            self.told.append(entry)
            self._read(entry)
        assert self.follower.position == self.position

    def _read(self, entry: Entry) -> None:
        match entry.event():
            case Started():
                self.text = ""
            case Snapshot(text=text):
                self.text = text
            case Token(text=text):
                self.text += text


async def only_entries(watcher: Watcher) -> Sequence[Entry]:
    """What is taken next, which is told one by one."""
    taken = await watcher.take()
    assert not isinstance(taken, Reading)
    return taken
