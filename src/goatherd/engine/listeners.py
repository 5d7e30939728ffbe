"""All listeners of one worker: what data wants is compared with what consumes, again and again."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from goatherd.engine.listener_group import ListenerGroup, Surroundings
from goatherd.engine.name_source import Listened
from goatherd.model.listener import ListenerCount, ListenerRow, Standing
from goatherd.model.task import TaskDefinition

#: Seconds between two comparisons when nobody tells of a change, and between two looks at how listeners stand.
COMPARE_EVERY, LOOK_EVERY = 10.0, 2.0
#: Listeners in trouble that are told one by one.
TOLD = 10

log = logging.getLogger("goatherd.listeners")


class Listeners:
    """Of one worker. `start`, then `stop` once."""

    def __init__(self, listened: Sequence[Listened], around: Surroundings) -> None:
        held = replace(around, objection=self._objection)
        self._refuse = around.objection
        self.groups = [ListenerGroup(each, held, self.nudge) for each in listened]
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._seen: dict[str, str] = {}
        self._clock = around.clock
        #: Since when sources do not tell what is wanted, by pattern.
        self._untold: dict[str, float] = {}
        #: Told when the condition of a listener changes.
        self.on_change: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin to listen."""
        for group in self.groups:
            group.names.start()
        self._task = asyncio.create_task(self._run(), name="goatherd listeners")

    async def settled(self) -> None:
        """Return when what was wanted a moment ago is what is listened to, as far as it can be."""
        self._settled.clear()
        self._wake.set()
        await self._settled.wait()

    async def stop(self) -> None:
        """Take nothing more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        for group in self.groups:
            await group.stop()

    def nudge(self) -> None:
        """Something has changed."""
        self._wake.set()

    async def restart(self, queues: Sequence[str]) -> None:
        """Start these listeners anew."""
        for queue in queues:
            for group in self.groups:
                if (one := group.listeners.get(queue)) is not None:
                    log.warning("Listener %s is started anew, as somebody wished", queue)
                    await one.restart()
        self.nudge()

    @property
    def reasons(self) -> list[str]:
        """What is wrong, for people."""
        told: list[str] = []
        for group in self.groups:
            if group.names.failing:
                why = f"the source does not tell what is wanted: {group.names.failing}"
                told.append(f"listeners {group.pattern}: {why}")
            elif group.names.queues is None:
                told.append(f"listeners {group.pattern}: the source has not told yet what is wanted")
            told += [f"listeners {group.pattern}: {why}" for why in list(group.names.refused.values())[:TOLD]]
            ailing = [(one.queue, one.standing) for one in group.listeners.values()]
            ailing = [each for each in ailing if not each[1].healthy and each[1].condition != "starting"]
            told += [f"listener {queue}: {standing.condition}: {standing.why}" for queue, standing in ailing[:TOLD]]
            if len(ailing) > TOLD:
                told.append(f"listeners {group.pattern}: {len(ailing) - TOLD} more are not running")
        return told

    @property
    def deaf(self) -> bool:
        """Whether it is not known what is wanted, so that nothing is listened to."""
        return any(group.names.queues is None for group in self.groups)

    def counts(self) -> dict[str, ListenerCount]:
        """How many there are, by pattern."""
        return {group.pattern: _counted(group) for group in self.groups}

    def rows(self, process: str) -> list[ListenerRow]:
        """Every listener as it stands now; of two for one queue, of which one was refused, that one.

        A source that fails has a line of its own: that it is not known what to listen to is not seen by the others.
        """
        rows: dict[str, ListenerRow] = {}
        for group in self.groups:
            if (standing := self._of_source(group)) is not None:
                rows[group.pattern] = ListenerRow(
                    process=process, pattern=group.pattern, queue=group.pattern, standing=standing
                )
            for one in group.listeners.values():
                if one.queue not in rows or rows[one.queue].standing.healthy:
                    rows[one.queue] = ListenerRow(
                        process=process, pattern=group.pattern, queue=one.queue, standing=one.standing
                    )
        return list(rows.values())

    def _of_source(self, group: ListenerGroup) -> Standing | None:
        if not group.names.failing:
            self._untold.pop(group.pattern, None)
            return None
        since = self._untold.setdefault(group.pattern, self._clock.now())
        why = f"the source does not tell what is wanted: {group.names.failing}"
        return Standing(condition="down", since=since, why=why)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        compared = -COMPARE_EVERY
        while True:
            if self._wake.is_set() or self._is_due(compared, loop.time()):
                self._wake.clear()
                await self._compare()
                compared = loop.time()
            self._look()
            if not self._wake.is_set():
                self._settled.set()
            await self._rest(LOOK_EVERY)

    def _is_due(self, compared: float, now: float) -> bool:
        tries = [at for group in self.groups if (at := group.next_try) is not None]
        return now >= min([compared + COMPARE_EVERY, *tries])

    async def _compare(self) -> None:
        for group in self.groups:
            try:
                await group.reconcile()
            except Exception:
                log.exception("Listeners of %s could not be compared; this is a fault of Goatherd", group.pattern)

    def _look(self) -> None:
        seen: dict[str, str] = {}
        for group in self.groups:
            if group.names.failing:
                seen[group.pattern] = group.names.failing
            for queue, one in group.listeners.items():
                seen[queue] = one.standing.condition
        if seen != self._seen:
            self._seen = seen
            self.on_change()

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            # Nobody has told of anything, so that it is looked for.
            return

    def _objection(self, task: TaskDefinition) -> str | None:
        for group in self.groups:
            other = group.listeners.get(task.queue)
            if other is not None and other.task.name != task.name and other.consumption is not None:
                return f"task {other.task.name!r} listens to this queue already; a queue belongs to one task alone"
        return self._refuse(task)


def _counted(group: ListenerGroup) -> ListenerCount:
    # Copied in one step: a threaded program asks on another thread.
    standings: list[Standing] = [one.standing for one in list(group.listeners.values())]
    return ListenerCount(
        wanted=len(group.names.queues or ()),
        running=sum(each.condition == "running" for each in standings),
        unhealthy=sum(not each.healthy and each.condition != "starting" for each in standings),
        restarts=group.restarts + sum(each.restarts for each in standings),
        source_failing=bool(group.names.failing),
    )
