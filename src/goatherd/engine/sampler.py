"""Look now and then at what all processes share, so that whoever asks for metrics need not wait for any store."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import msgspec

from goatherd.engine.probes import Probes, Question
from goatherd.model.shared_readings import NOTHING_SEEN, SharedReadings

#: Seconds that one store may take to tell.
DEADLINE = 5.0
#: How many times longer it rests than it looked, at least, so that a slow store is not asked all the time; and the same
#: if one did not answer at all, whose return should be seen soon.
REST, SHORT_REST = 10.0, 2.0
#: What part of the time between two looks is left to chance, so that many processes do not look in the same moment.
SPREAD = 0.1
#: Seconds that a look has to end when the process does.
LAST_WORDS = 1.0

#: Looks at one thing, and gives the fields of `SharedReadings` that it is about; raises Unavailable.
Look: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]

log = logging.getLogger("goatherd.metrics")


class Sampler:
    """Of one process."""

    def __init__(self, looks: Mapping[str, Look], probes: Probes, every: float) -> None:
        self._looks = looks
        self._probes = probes
        self._every = every
        self._task: asyncio.Task[None] | None = None
        self._unseen: set[str] = set()
        #: As of the last look.
        self.seen: SharedReadings = NOTHING_SEEN

    def start(self) -> None:
        """Look from now on."""
        self._task = asyncio.create_task(self._run(), name="goatherd sampler")

    async def stop(self) -> None:
        """Look no more. Idempotent."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task], timeout=LAST_WORDS)

    async def look(self) -> SharedReadings:
        """Look at everything, each for itself: a store that is away does not hide the others."""
        names = list(self._looks)
        found = await asyncio.gather(*(self._look_at(name) for name in names))
        told: dict[str, Any] = {}
        for each in found:
            told |= each or {}
        seen = {name: int(each is not None) for name, each in zip(names, found, strict=True)}
        self.seen = msgspec.structs.replace(NOTHING_SEEN, **told, seen=seen)
        return self.seen

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            seen = await self.look()
            pause = pause_after(clock() - began, self._every, all(seen.seen.values()))
            await asyncio.sleep(pause * random.uniform(1 - SPREAD, 1 + SPREAD))

    async def _look_at(self, name: str) -> Mapping[str, Any] | None:
        question = Question(port=name, about="metrics", ask=self._looks[name])
        try:
            [answer] = await self._probes.ask([question], DEADLINE)
        except Exception:
            if name not in self._unseen:
                log.exception("The %s could not be looked at for metrics; this is a fault of Goatherd", name)
            self._unseen.add(name)
            return None
        if answer.trouble is not None:
            self._not_seen(name, answer.trouble)
            return None
        if name in self._unseen:
            log.info("Metrics tell of the %s again", name)
            self._unseen.discard(name)
        return cast(Mapping[str, Any], answer.told)

    def _not_seen(self, name: str, why: str) -> None:
        if name not in self._unseen:
            log.warning("Metrics do not tell of the %s now: %s", name, why)
        self._unseen.add(name)


def pause_after(took: float, every: float, all_seen: bool) -> float:
    """Seconds until the next look, after one that took so long."""
    return max(every, took * (REST if all_seen else SHORT_REST))


def in_all(samplers: Sequence[Sampler]) -> SharedReadings:
    """What this process saw; nothing if it does not look."""
    return samplers[0].seen if samplers else NOTHING_SEEN
