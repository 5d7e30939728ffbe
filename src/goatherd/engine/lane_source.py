"""Heads of lanes as deliveries: claimed when there is room for them, kept by heartbeats, settled in batches."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import msgspec

from goatherd.engine.heartbeat import Heartbeat
from goatherd.engine.lane_trade import Trade
from goatherd.engine.ticket import Ticket
from goatherd.errors import Unavailable
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import (
    Claim,
    Commit,
    Fence,
    GiveUpHead,
    Hold,
    OnExhausted,
    Release,
    Settlement,
    TryAgain,
    packed,
    shown,
    unpacked,
)
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Deliver, Subscription
from goatherd.ports.clock import Clock
from goatherd.ports.lanes import Lanes

log = logging.getLogger("goatherd.lanes")


@dataclass(frozen=True, kw_only=True)
class LaneHabits:
    """How a worker deals with lanes."""

    worker: str
    queues: Sequence[str]
    lease: float
    #: Those of the queues that operators have paused.
    paused: Callable[[], Awaitable[frozenset[str]]]
    #: Takes jobs that left their lanes to the dead letters.
    carry_letters: Callable[[], Awaitable[None]]


class Held:
    """The head of a lane that this worker has; the tag of its delivery."""

    __slots__ = ("_lanes", "_lease", "_ticket", "begun", "claim", "delivery", "lost", "until")

    def __init__(self, lanes: Lanes, lease: float, claim: Claim, until: float) -> None:
        self._lanes = lanes
        self._lease = lease
        self._ticket: Ticket | None = None
        self.claim = claim
        #: On the loop's clock: others may have it afterwards.
        self.until = until
        self.lost = False
        self.begun = False
        self.delivery: Delivery

    @property
    def name(self) -> str:
        """Its lane."""
        return self.claim.lane

    @property
    def hold(self) -> Hold:
        """What the store wants to see."""
        return self.claim.hold

    def ticket(self) -> Ticket:
        """What its job shows to have its effect."""
        claim = self.claim
        fence = Fence(key=claim.lane, token=claim.token, seq=claim.seq)
        self._ticket = Ticket(fence=fence, in_lane=self._lanes.within(claim.hold))
        return self._ticket

    @property
    def moved_on(self) -> bool:
        """Whether the job moved its lane on itself, in a transaction of the user's own."""
        return self._ticket is not None and self._ticket.used

    async def is_still_ours(self) -> bool:
        """Whether the store says so; raises Unavailable."""
        # A beat is the question, and its answer must not leave us with less than we had.
        [ours] = await self._lanes.beat([self.claim.hold], self._lease)
        return ours


class LaneSource:
    """The lanes of one worker; satisfies `Source` for deliveries whose tag is a `Held`."""

    def __init__(self, lanes: Lanes, clock: Clock, habits: LaneHabits) -> None:
        self._lanes = lanes
        self._clock = clock
        self._habits = habits
        self._held: dict[str, Held] = {}
        self._deliver: Deliver | None = None
        self._room: Callable[[], int] = lambda: 0
        self._on_loss: Callable[[Delivery], None] | None = None
        self._watch: Subscription | None = None
        self._trade = Trade(lanes, clock, habits.worker, habits.lease, self._take, self._letters_wait)
        self._heartbeat = Heartbeat("lanes", log, lanes.beat, habits.lease, self._held, self._lose)
        self._taking = False
        self._begun = 0
        self._carrying: asyncio.Task[None] | None = None

    async def start(self, deliver: Deliver, room: Callable[[], int], lost: Callable[[Delivery], None]) -> Subscription:
        """Begin to claim, as many as there is room for; `lost` is told of those that others may have now."""
        self._deliver, self._room, self._on_loss = deliver, room, lost
        self._watch = await self._lanes.watch(self._habits.queues, self._trade.wake)
        self._trade.start(self._wish, self._habits.queues, self._habits.paused)
        self._heartbeat.start()
        self._taking = True
        self._trade.wake()
        return self

    async def stop(self) -> None:
        """Claim nothing more; what is held stays with the worker until it settles it."""
        self._taking = False
        self._trade.rest()
        watch, self._watch = self._watch, None
        if watch is not None:
            await watch.stop()

    async def close(self, deadline: float) -> None:
        """Tell the store what is settled and give back the rest, as well as can be in that time."""
        for held in list(self._held.values()):
            self._settle(held, Release(hold=held.claim.hold))
        await self._heartbeat.stop()
        await self._trade.stop(deadline)
        if self._carrying is not None:
            _, late = await asyncio.wait([self._carrying], timeout=deadline)
            for carrying in late:
                # Others take the letters; one that is brought twice is one.
                carrying.cancel()

    @property
    def untold(self) -> int:
        """How many settlements are on their way to the store."""
        return self._trade.untold

    async def beat(self) -> None:
        """Have all leases anew now, and notice what is lost, without waiting for the next heartbeat."""
        await self._heartbeat.beat()

    def nudge(self) -> None:
        """There may be room for more."""
        self._trade.room_changed()

    # --- Source -----------------------------------------------------------------------------------

    def is_lost(self, delivery: Delivery) -> bool:
        held = _held(delivery)
        return held.lost or asyncio.get_running_loop().time() >= held.until

    def begin(self, delivery: Delivery) -> None:
        held = _held(delivery)
        if not held.lost:
            held.begun = True
            self._begun += 1
        # It waited beside those that have their place already; now it is one of them.
        self.nudge()

    def end(self, delivery: Delivery) -> None:
        self._no_longer_runs(_held(delivery))

    def ack(self, delivery: Delivery) -> None:
        held = _held(delivery)
        self._settle(held, Commit(hold=held.claim.hold))

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        mine = [_held(delivery) for delivery in deliveries]
        await asyncio.gather(*(self._settled(held, Release(hold=held.claim.hold)) for held in mine))

    async def replace(self, delivery: Delivery, message: Message) -> None:
        held = _held(delivery)
        delay = 0.0 if message.due is None else max(0.0, message.due - self._clock.now())
        content = packed(msgspec.structs.replace(message, due=None))
        await self._settled(held, TryAgain(hold=held.claim.hold, content=content, delay=delay))

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        held = _held(delivery)
        # Nobody wants it any more, so nobody will want to look at it before the lane goes on.
        policy: OnExhausted | None = "skip" if burial.reason == "expired" else None
        await self._settled(held, GiveUpHead(hold=held.claim.hold, burial=burial, policy=policy))
        if not held.lost and policy is None and held.claim.on_exhausted == "hold":
            lane = shown(held.claim.lane)
            log.error("Lane %s is held until `goatherd lanes retry` or `skip`: %s", lane, burial.message)

    # --- inside -----------------------------------------------------------------------------------

    def _wish(self) -> int:
        """How many claims are wanted now."""
        if not self._taking:
            return 0
        waiting = len(self._held) - self._begun
        # At least one waits here for its turn, or jobs without a key could keep all of the worker for themselves.
        return max(self._room() - waiting, 0 if self._held else 1)

    def _take(self, claims: Sequence[Claim], until: float) -> None:
        deliveries = []
        for claim in claims:
            held = Held(self._lanes, self._habits.lease, claim, until)
            try:
                message = unpacked(claim.content)
            except msgspec.DecodeError as error:
                self._trade.settle(GiveUpHead(hold=claim.hold, burial=_unreadable(error, self._clock.now())))
                continue
            held.delivery = Delivery(message=message, accepted=claim.accepted, deaths=claim.deaths, tag=held)
            before = self._held.get(claim.lane)
            if before is not None:
                # The lane was taken from us and has come back before we heard of it.
                self._lose(before)
            self._held[claim.lane] = held
            deliveries.append(held.delivery)
        if deliveries and self._deliver is not None:
            self._deliver(deliveries)

    def _settle(self, held: Held, settlement: Settlement) -> "asyncio.Future[bool] | None":
        if self._held.get(held.claim.lane) is held:
            del self._held[held.claim.lane]
        elif held.lost:
            return None
        # Of one that moved its lane on itself, the store will say that it is not ours any more, and that is right.
        return self._trade.settle(settlement, None if held.moved_on else held.claim)

    async def _settled(self, held: Held, settlement: Settlement) -> None:
        done = self._settle(held, settlement)
        if done is not None and not await asyncio.shield(done):
            held.lost = True

    def _letters_wait(self) -> None:
        if self._carrying is None or self._carrying.done():
            self._carrying = asyncio.create_task(self._carry(), name="goatherd lane letters")

    async def _carry(self) -> None:
        try:
            await self._habits.carry_letters()
        except Unavailable as error:
            log.warning("Jobs that left their lanes wait to be taken to the dead letters: %s", error)
        except Exception:
            log.exception("Jobs that left their lanes could not be taken to the dead letters")

    def _no_longer_runs(self, held: Held) -> None:
        if held.begun:
            held.begun = False
            self._begun -= 1

    def _lose(self, held: Held) -> None:
        held.lost = True
        self._no_longer_runs(held)
        self._held.pop(held.claim.lane, None)
        log.warning("Lane %s was lost to others while %s was worked on", shown(held.claim.lane), held.claim.id)
        if self._on_loss is not None:
            self._on_loss(held.delivery)


def _held(delivery: Delivery) -> Held:
    tag = delivery.tag
    assert isinstance(tag, Held), "only deliveries from lanes come here"
    return tag


def _unreadable(error: Exception, now: float) -> Burial:
    told = f"a lane keeps it in a form that this program does not read: {error}"
    return Burial(reason="unparsable", error_type="Unparsable", message=told, attempts=0, failed_at=now)
