"""Senders and workers as the cases of lanes have them: they number their calls and can repeat the last one."""

import asyncio
from collections.abc import Sequence
from typing import Any

from goatherd.model.dead_letter import Burial
from goatherd.model.ids import new_id
from goatherd.model.lane import (
    Claim,
    Commit,
    Exchange,
    Exchanged,
    GiveUpHead,
    Hold,
    LaneItem,
    OnExhausted,
    Placement,
    Release,
    Settlement,
    TryAgain,
)
from goatherd.testing.suites.lane_store import LaneStore
from goatherd.testing.suites.receiver import PATIENCE

#: The queue and the lane of cases that need only one.
QUEUE, LANE = "mail", "mail/to=7"


def item(id: str, lane: str = LANE, **properties: Any) -> LaneItem:
    """A job whose content tells its id."""
    return LaneItem(**{"id": id, "lane": lane, "queue": QUEUE, "content": id.encode(), **properties})


def burial(message: str = "no luck 🐐", **properties: Any) -> Burial:
    """Why a job is given up."""
    told = {"reason": "failed", "error_type": "ValueError", "traceback": "line 1", "attempts": 3, "failed_at": 17.25}
    return Burial(**{**told, "message": message, **properties})


class Sender:
    """Puts jobs into lanes."""

    def __init__(self, lanes: LaneStore) -> None:
        self._lanes = lanes
        self.name = new_id()
        self.number = 0
        self._last: Sequence[LaneItem] = ()

    async def put(self, *ids: str, lane: str = LANE, **properties: Any) -> list[Placement]:
        """Put jobs of these ids into one lane, in one call."""
        return await self.send(*(item(id, lane, **properties) for id in ids))

    async def put_each(self, lanes: Sequence[str], **properties: Any) -> None:
        """Put one job, whose id is the lane's key, into each lane."""
        await self.send(*(item(lane, lane, **properties) for lane in lanes))

    async def send(self, *items: LaneItem) -> list[Placement]:
        """Put jobs into their lanes, in one call."""
        self.number += 1
        self._last = items
        return await self.repeat()

    async def repeat(self) -> list[Placement]:
        """Make the last call once more."""
        return list(await self._lanes.enqueue(self.name, self.number, self._last))


class Worker:
    """Does the jobs of some queues."""

    def __init__(self, lanes: LaneStore, *queues: str, lease: float = 30.0) -> None:
        self._lanes = lanes
        self.name = new_id()
        self.number = 0
        self.queues = queues or (QUEUE,)
        self.lease = lease
        self._last = Exchange(worker=self.name, number=0)

    async def claim(self, wanted: int = 1) -> list[Claim]:
        """Take the heads of lanes."""
        return list((await self.exchange(wanted=wanted)).claims)

    async def one(self) -> Claim:
        """Take the head of the only lane that is ready."""
        [claim] = await self.claim(100)
        return claim

    async def commit(self, *claims: Claim, wanted: int = 0) -> Exchanged:
        """They are done; take as many others as are wanted."""
        return await self.exchange(*(Commit(hold=claim.hold) for claim in claims), wanted=wanted)

    async def exchange(self, *settled: Settlement, wanted: int = 0) -> Exchanged:
        """Settle and claim."""
        self.number += 1
        self._last = Exchange(
            worker=self.name, number=self.number, settled=settled, queues=self.queues, wanted=wanted, lease=self.lease
        )  # fmt: skip
        return await self.repeat()

    async def repeat(self) -> Exchanged:
        """Make the last exchange once more."""
        return await self._lanes.exchange(self._last)

    async def drain(self, at_once: int = 100) -> list[Claim]:
        """Take and do all that is ready, round by round; tells what was done, in order."""
        done: list[Claim] = []
        async with asyncio.timeout(PATIENCE):
            claims = await self.claim(at_once)
            while claims:
                done += claims
                exchanged = await self.commit(*claims, wanted=at_once)
                assert all(exchanged.settled), "what a worker has is its own"
                claims = list(exchanged.claims)
        return done


def give_up(claim: Claim, policy: OnExhausted | None = None, message: str = "no luck 🐐") -> GiveUpHead:
    """It failed for the last time."""
    return GiveUpHead(hold=claim.hold, burial=burial(message), policy=policy)


def every_settlement(hold: Hold) -> list[Settlement]:
    """All that can be said of a claim."""
    policies: list[OnExhausted | None] = [None, "hold", "skip", "cancel_rest"]
    given_up = [GiveUpHead(hold=hold, burial=burial(), policy=policy) for policy in policies]
    again = [TryAgain(hold=hold, content=b"changed", delay=delay) for delay in (0.0, 5.0)]
    return [Commit(hold=hold), Release(hold=hold), *again, *given_up]


def ids(claims: Sequence[Claim]) -> list[str]:
    """What was claimed."""
    return [claim.id for claim in claims]
