"""Trade with the store of lanes: what is settled against what is claimed, one exchange at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from goatherd.engine.insistence import LONGEST_PAUSE, Insistence
from goatherd.engine.pauses import Pauses
from goatherd.errors import Unavailable
from goatherd.model.lane import Claim, Commit, Exchange, Exchanged, Settlement, shown
from goatherd.ports.clock import Clock, Timer
from goatherd.ports.lanes import Lanes

#: Seconds after which an idle worker looks for itself: a wake-up may be lost.
LOOK_EVERY = 1.0
#: Settlements in one exchange at most.
BATCH = 500

log = logging.getLogger("goatherd.lanes")

Take = Callable[[Sequence[Claim], float], None]
#: What the store is to be told, of which claim, and who waits for it.
_Settled = tuple[Settlement, Claim | None, "asyncio.Future[bool]"]


class Trade:
    """The exchanges of one worker. An exchange whose answer was lost is repeated under its number."""

    def __init__(
        self,
        lanes: Lanes,
        clock: Clock,
        worker: str,
        lease: float,
        take: Take,
        letters_wait: Callable[[], None],
    ) -> None:
        self._lanes = lanes
        self._clock = clock
        self._worker = worker
        self._lease = lease
        self._take = take
        self._letters_wait = letters_wait
        self._number = 0
        self._wish: Callable[[], int] = lambda: 0
        self._queues: Sequence[str] = ()
        self._pauses: Pauses | None = None
        self._settled: list[_Settled] = []
        #: Settlements that the store has not been told, or has not confirmed.
        self.untold = 0
        self._needed = asyncio.Event()
        #: Whether there may be something to claim.
        self._hungry = False
        self._due: Timer | None = None
        self._look: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._insistence = Insistence("Lanes", log)

    def start(
        self,
        wish: Callable[[], int],
        queues: Sequence[str],
        paused: Callable[[], Awaitable[frozenset[str]]],
    ) -> None:
        """Begin to trade; `wish` tells how many claims are wanted."""
        self._wish, self._queues, self._pauses = wish, queues, Pauses(paused)
        self._task = asyncio.create_task(self._run(), name="goatherd lanes")

    def wake(self) -> None:
        """Something may be ready."""
        self._hungry = True
        self._needed.set()

    def room_changed(self) -> None:
        """There may be room for more, if there is more."""
        if self._hungry:
            self._needed.set()

    def settle(self, settlement: Settlement, claim: Claim | None = None) -> "asyncio.Future[bool]":
        """Tell the store; the future says whether it was still ours, or raises Unavailable if it cannot be told."""
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        done.add_done_callback(self._told)
        self._settled.append((settlement, claim, done))
        self.untold += 1
        self._needed.set()
        return done

    def rest(self) -> None:
        """Look no more by itself."""
        for timer in (self._due, self._look):
            if timer is not None:
                timer.cancel()

    async def stop(self, deadline: float) -> None:
        """Tell the store what is settled, as well as can be in that time, and end."""
        self._insistence.stopping = True
        self._needed.set()
        task, self._task = self._task, None
        if task is not None:
            _, late = await asyncio.wait([task], timeout=deadline)
            if late:
                log.warning("Lanes could not be told what became of %d jobs in time", self.untold)
                task.cancel()
                await asyncio.wait([task], timeout=1.0)
        self.rest()
        if self._pauses is not None:
            await self._pauses.stop()
        self._fail(self._settled, Unavailable("The worker ended before its lanes could be told."))
        self._settled.clear()

    async def _run(self) -> None:
        while True:
            await self._until_needed()
            # A lane whose head was settled, here or in a user's own transaction, may be ready for its next one.
            wanted = self._wish() if self._hungry or self._settled else 0
            if not (self._settled or wanted):
                if self._insistence.stopping:
                    return
                continue
            try:
                await self._trade(wanted)
            except Exception:
                # Whatever it was, lanes must go on; what was to be settled is claimed again when its lease runs out.
                log.exception("Lanes could not be worked on; this is a fault of Goatherd")
                await asyncio.sleep(LONGEST_PAUSE)
                self.wake()

    async def _until_needed(self) -> None:
        if not self._settled and not self._insistence.stopping:
            await self._needed.wait()
        self._needed.clear()

    async def _trade(self, wanted: int) -> None:
        batch, self._settled = self._settled[:BATCH], self._settled[BATCH:]
        try:
            exchange = await self._next_exchange(batch, wanted)
            until = asyncio.get_running_loop().time() + self._lease
            answer = await self._insistence.until_answered(lambda: self._lanes.exchange(exchange))
            self._tell(batch, answer)
        except Unavailable as error:
            self._fail(batch, error)
            return
        except BaseException as error:
            # Whoever waits for it would wait for ever.
            self._fail(batch, Unavailable(f"Lanes could not be told what became of a job: {error!r}"))
            raise
        self._take(answer.claims, until)
        self._plan(exchange, answer)
        if answer.letters:
            self._letters_wait()

    async def _next_exchange(self, batch: "list[_Settled]", wanted: int) -> Exchange:
        queues = await self._open_queues() if wanted else ()
        self._number += 1
        # The queues take turns in being first.
        self._queues = [*self._queues[1:], *self._queues[:1]]
        self._hungry = False
        return Exchange(
            worker=self._worker,
            number=self._number,
            settled=[settlement for settlement, _, _ in batch],
            queues=queues,
            wanted=wanted if queues else 0,
            lease=self._lease,
        )

    async def _open_queues(self) -> Sequence[str]:
        assert self._pauses is not None, "it is set before the first exchange"
        paused = await self._pauses.known()
        return [queue for queue in self._queues if queue not in paused]

    def _told(self, _done: "asyncio.Future[bool]") -> None:
        self.untold -= 1

    def _tell(self, batch: "list[_Settled]", answer: Exchanged) -> None:
        for (settlement, claim, done), ours in zip(batch, answer.settled, strict=True):
            if not ours and claim is not None and isinstance(settlement, Commit):
                log.warning("%s had been done when its lane %s was with others", claim.id, shown(claim.lane))
            if not done.done():
                done.set_result(ours)

    def _fail(self, batch: "list[_Settled]", error: Unavailable) -> None:
        for _, _, done in batch:
            if not done.done():
                done.set_exception(error)
                done.exception()

    def _plan(self, exchange: Exchange, answer: Exchanged) -> None:
        """Look again at once if there may be more, else when something falls due, and in any case soon."""
        if exchange.wanted and len(answer.claims) == exchange.wanted:
            self.wake()
        self.rest()
        self._look = asyncio.get_running_loop().call_later(LOOK_EVERY, self.wake)
        if answer.next_due is not None:
            self._due = self._clock.call_at(self._clock.now() + max(0.0, answer.next_due), self.wake)
