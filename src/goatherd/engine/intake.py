"""Take commands in: put them on record, remove them at their source, send their jobs.

Every scheduler process listens. Whoever stores a command first has it in hand; if that process dies, another takes it
over. A command that could not be removed is done all the same, and its removal is tried again.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from goatherd.engine.apart import apart
from goatherd.engine.insistence import Insistence
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.command import Command, StoredCommand, source_key
from goatherd.model.job import AnyJob
from goatherd.ports.inbox import CommandSource, InboxRecords

#: Commands that are taken in together.
BATCH = 200
#: Seconds before a source that was lost is asked again: at first, and at most; and if it refuses us for good.
FIRST_PAUSE, LONGEST_PAUSE, REFUSED_PAUSE = 0.2, 15.0, 60.0
#: Seconds for which a source must have been heard to be asked again at once when it is lost.
STEADY = 20.0
#: Seconds between two looks at what others have left behind, and at what is so old that it is forgotten.
TAKE_OVER_EVERY, FORGET_EVERY = 2.0, 60.0
#: Seconds that commands in hand have to be finished when the process ends.
LAST_WORDS = 5.0

#: How far a command has come: it is on record, its job is sent, it is gone from its source.
STEPS = ("stored", "sent", "removed")

log = logging.getLogger("goatherd.inbox")

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Intent:
    """What one inbox is, and what becomes of its commands."""

    #: Its address, without secrets.
    inbox: str
    job_of: Callable[[Command], AnyJob]
    send_many: Callable[[Sequence[AnyJob]], Awaitable[object]]
    #: Seconds for which a command is left to whoever has it in hand.
    hold: float
    #: Seconds for which those that are done are remembered.
    kept_for: float


class Intake:
    """Of one inbox, in one process."""

    def __init__(self, source: CommandSource, records: InboxRecords, intent: Intent) -> None:
        self._source = source
        self._records = records
        self._intent = intent
        self._insistence = Insistence(f"The records and the broker that the commands of {intent.inbox} need", log)
        self._tasks: list[asyncio.Task[None]] = []
        self._pause = 0.0
        #: Commands by how far this process brought them.
        self.counts: dict[str, int] = dict.fromkeys(STEPS, 0)
        #: What keeps it from hearing of commands; None if nothing does.
        self.trouble: str | None = None
        #: Whether the source is there and refuses us.
        self.refused = False

    @property
    def inbox(self) -> str:
        """Its address, without secrets."""
        return self._intent.inbox

    def start(self) -> None:
        """Begin to listen; a source that is away is waited for."""
        inbox = self._intent.inbox
        self._tasks = [
            apart(self._listen(), f"goatherd inbox {inbox}"),
            apart(self._tend(), f"goatherd inbox {inbox} (left behind)"),
        ]

    async def stop(self) -> None:
        """Listen no more. What is in hand is taken over by others, or found when the app runs again."""
        self._insistence.stopping = True
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=LAST_WORDS)
            if late:
                log.warning("The inbox %s did not end in time", self._intent.inbox)
        await self._source.close()

    # --- listening --------------------------------------------------------------------------------

    async def _listen(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                async with aclosing(self._source.commands()) as heard:
                    async for commands in heard:
                        self._hears()
                        for first in range(0, len(commands), BATCH):
                            await self.take_in(commands[first : first + BATCH])
                wait = self._after("it ended the connection", clock() - began, 0.0)
            except Unavailable as error:
                told = error.retry_after if error.retry_after > 1 else 0.0
                wait = self._after(str(error), clock() - began, told)
            except SettingsError as error:
                wait = self._refused(error)
            except Exception:
                log.exception("The inbox %s cannot be heard; this is a fault of Goatherd", self._intent.inbox)
                wait = LONGEST_PAUSE
            await asyncio.sleep(wait)

    def _hears(self) -> None:
        if self.trouble is not None:
            log.warning("The inbox %s is heard again", self._intent.inbox)
        self.trouble, self.refused = None, False

    def _after(self, problem: str, heard_for: float, at_least: float) -> float:
        """The seconds to wait after the source was lost, not the same for all who lost it."""
        if self.trouble is None:
            log.warning("The inbox %s was lost: %s; it is tried again", self._intent.inbox, problem)
        self.trouble, self.refused = problem, False
        self._pause = FIRST_PAUSE if heard_for > STEADY else min(2 * self._pause or FIRST_PAUSE, LONGEST_PAUSE)
        return max(random.uniform(self._pause / 2, self._pause), at_least)

    def _refused(self, error: SettingsError) -> float:
        log.error("The inbox %s takes no commands: %s", self._intent.inbox, error)
        self.trouble, self.refused = str(error), True
        return REFUSED_PAUSE

    # --- taking in --------------------------------------------------------------------------------

    async def take_in(self, commands: Sequence[Command]) -> None:
        """Have commands on record, removed at their source, and sent; those that are known are only removed."""
        stored = await self._store(commands)
        others = [
            command.apart()
            for command, known in zip(commands, stored, strict=True)
            if not known.ours and known.digest != command.digest
        ]
        if others:
            # Two commands were given under one key, and none of them is to be lost.
            stored = [*stored, *await self._store(others)]
        # One that is sent and still there was not removed, or we were told of it late.
        left = [command for command in stored if not command.ours and command.sent]
        for command in left:
            log.info("The command %s of %s is done already; it is only removed", command.key, self._intent.inbox)
        await self._finish([command for command in stored if command.ours] + left)

    async def _store(self, commands: Sequence[Command]) -> Sequence[StoredCommand]:
        intent = self._intent
        stored = await self._insist(lambda: self._records.store(intent.inbox, commands, intent.hold))
        self.counts["stored"] += sum(command.ours for command in stored)
        return stored

    async def _finish(self, commands: Sequence[StoredCommand]) -> None:
        """Have them removed and sent; what fails is found again."""
        if not commands:
            return
        await self._remove([command.key for command in commands])
        unsent = [command for command in commands if not command.sent]
        if unsent:
            await self._send(unsent)

    async def _send(self, unsent: Sequence[StoredCommand]) -> None:
        """Send their jobs; one that cannot be sent whatever happens does not keep the others back."""
        try:
            jobs = [self._intent.job_of(Command(key=each.key, body=each.body)) for each in unsent]
            await self._insist(lambda: self._intent.send_many(jobs))
        except Unavailable:
            # Only when all is to end.
            raise
        except Exception:
            if len(unsent) > 1:
                for each in unsent:
                    await self._send([each])
                return
            log.exception("The command %s of %s cannot be sent; it is tried again", unsent[0].key, self._intent.inbox)
            return
        keys = [each.key for each in unsent]
        await self._insist(lambda: self._records.sent(self._intent.inbox, keys))
        self.counts["sent"] += len(keys)

    async def _remove(self, keys: Sequence[str]) -> None:
        try:
            await self._source.remove(list(dict.fromkeys(map(source_key, keys))))
        except (Unavailable, SettingsError) as error:
            log.warning(
                "%d commands are on record but could not be removed from %s; it is tried again: %s",
                *(len(keys), self._intent.inbox, error),
            )
            return
        await self._insist(lambda: self._records.removed(self._intent.inbox, keys))
        self.counts["removed"] += len(keys)

    async def _insist(self, ask: Callable[[], Awaitable[Result]]) -> Result:
        return await self._insistence.until_answered(ask)

    # --- what was left behind ---------------------------------------------------------------------

    async def _tend(self) -> None:
        forget_at, away = 0.0, False
        while True:
            try:
                await self._take_over()
                if (now := asyncio.get_running_loop().time()) >= forget_at:
                    forgotten = await self._records.forget(self._intent.kept_for, BATCH)
                    forget_at = now + (FORGET_EVERY if forgotten < BATCH else 0.0)
                away = False
            except Unavailable as error:
                if not away:
                    log.warning("Commands that were left behind cannot be looked for now: %s", error)
                away = True
            except Exception:
                log.exception("Commands that were left behind cannot be done; this is a fault of Goatherd")
            await asyncio.sleep(TAKE_OVER_EVERY)

    async def _take_over(self) -> None:
        intent = self._intent
        while True:
            left = await self._records.take_over(intent.inbox, BATCH, intent.hold)
            if any(not command.sent for command in left):
                log.info("Commands of %s that were left behind are taken over: %d", intent.inbox, len(left))
            await self._finish(left)
            if len(left) < BATCH:
                return
