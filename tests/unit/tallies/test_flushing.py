"""From additions to jobs: on a file, and with a store that fails."""

import asyncio
import logging
from collections.abc import Sequence

import msgspec
import pytest

from goatherd import Context, Goatherd, Tally
from goatherd.engine import flushes
from goatherd.engine.flushes import Flusher
from goatherd.errors import Unavailable
from goatherd.model.lane import LaneItem
from goatherd.model.message import Delivery
from goatherd.model.tally import Batch, Sealed
from goatherd.ports.tallies import Tallies
from goatherd.scheduling import make_flushers

PATIENCE = 30.0


@pytest.fixture
def received(gifts: Tally) -> "asyncio.Queue[tuple[str, str, int]]":
    """What the task got: the job's id, the key and the total."""
    received: asyncio.Queue[tuple[str, str, int]] = asyncio.Queue()

    @gifts.flush(every=0.05)
    async def apply_gifts(ctx: Context, streamer: str, total: int) -> None:
        assert ctx.fence is not None
        assert ctx.fence.key == f"shop/streamer={streamer}"
        received.put_nowait((ctx.job_id, streamer, total))

    return received


async def test_totals_arrive_in_order_under_ids_of_their_batches(
    app: Goatherd, gifts: Tally, received: "asyncio.Queue[tuple[str, str, int]]"
) -> None:
    async with app.serve("worker"), asyncio.timeout(PATIENCE):
        await gifts.add("ann", 100, id="gift-1")
        await gifts.add("ann", 100, id="gift-1")
        await gifts.add("ann", 20)
        await gifts.add("ann", 0)
        [flusher] = make_flushers(app, app.session())
        flusher.start()
        first = await received.get()
        await gifts.add("ann", 7)
        second = await received.get()
        await flusher.stop()
        await flusher.stop()
    assert (first[1:], second[1:]) == (("ann", 120), ("ann", 7))
    seqs = [int(job.removeprefix("pending_gift:ann:")) for job, _, _ in (first, second)]
    assert seqs[0] < seqs[1]


async def test_what_a_dead_one_left_is_flushed_first(
    app: Goatherd, gifts: Tally, received: "asyncio.Queue[tuple[str, str, int]]"
) -> None:
    async with app.serve("worker"), asyncio.timeout(PATIENCE):
        await gifts.add("ann", 100)
        tallies = await app.session().recurring.tallies()
        [batch] = (await tallies.seal("pending_gift", 3600, 10)).batches
        [flusher] = make_flushers(app, app.session())
        assert await flusher.flush() < 0.1
        assert await received.get() == (f"pending_gift:ann:{batch.seq}", "ann", 100)


async def test_more_totals_than_fit_into_one_step_are_all_flushed_at_once(
    app: Goatherd, gifts: Tally, received: "asyncio.Queue[tuple[str, str, int]]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flushes, "BATCH", 3)
    async with app:
        for number in range(10):
            await gifts.add(f"key-{number}", 1)
        [flusher] = make_flushers(app, app.session())
        await flusher.flush()
        assert await (await app.session().recurring.tallies()).waiting("pending_gift") == (0, 0)
        lanes = await (await app.session().lanes()).operations.find()
    assert len(lanes) == 10


async def test_a_program_elsewhere_gets_totals_with_their_key_and_number(app: Goatherd, gifts: Tally) -> None:
    queue = app.queue("livestream-viewer-gift", format="plain")

    @gifts.flush(every=5, queue=queue, remote=True)
    async def apply_gifts(streamer_id: str, bcoins: int) -> None: ...

    got: asyncio.Queue[Delivery] = asyncio.Queue()

    def take(deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            got.put_nowait(delivery)

    async with app, asyncio.timeout(PATIENCE):
        await gifts.add("ann", 100)
        [flusher] = make_flushers(app, app.session())
        await flusher.flush()
        await app.session().ports.broker.consume("livestream-viewer-gift", 10, take)
        message = (await got.get()).message
        assert await (await app.session().recurring.tallies()).waiting("pending_gift") == (0, 0)
    assert msgspec.json.decode(message.body) == {"streamer_id": "ann", "bcoins": 100}
    assert message.headers["gh-group"] == "ann"
    assert message.id == f"pending_gift:ann:{message.headers['gh-seq']}"


async def test_a_tally_that_nobody_flushes_is_told(
    app: Goatherd, gifts: Tally, caplog: pytest.LogCaptureFixture
) -> None:
    async with app:
        await gifts.add("ann", 1)
        assert make_flushers(app, app.session()) == []
    assert "Nobody flushes the tally 'pending_gift'" in caplog.text


class Unsteady:
    """A store that fails when it is told to, between its caller and the real one."""

    def __init__(self, tallies: Tallies) -> None:
        self._tallies = tallies
        self.failing: Exception | None = None
        self.asked = asyncio.Event()

    async def seal(self, tally: str, every: float, limit: int) -> Sealed:
        self.asked.set()
        if self.failing is not None:
            raise self.failing
        return await self._tallies.seal(tally, every, limit)

    async def post(self, tally: str, batches: Sequence[tuple[Batch, LaneItem]]) -> int:
        return await self._tallies.post(tally, batches)


@pytest.mark.parametrize("failure", [Unavailable("it is away"), RuntimeError("nobody thought of this")])
async def test_it_goes_on_when_the_store_is_back(
    failure: Exception,
    app: Goatherd,
    gifts: Tally,
    received: "asyncio.Queue[tuple[str, str, int]]",
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with app.serve("worker"), asyncio.timeout(PATIENCE):
        session = app.session()
        store = Unsteady(await session.recurring.tallies())
        store.failing = failure

        async def opened() -> Tallies:
            return store  # type: ignore[return-value]  # as much of it as flushers use

        flush = gifts.flush_of()
        assert flush is not None
        flusher = Flusher(flush, opened, session.sender, session.means)
        flusher.start()
        for _ in range(3):
            await store.asked.wait()
            store.asked.clear()
        store.failing = None
        await gifts.add("ann", 5)
        assert (await received.get())[1:] == ("ann", 5)
        await flusher.stop()
    told = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert any("'pending_gift' is flushed again" in line for line in told), told


async def test_one_that_hangs_is_ended_in_time(
    app: Goatherd,
    gifts: Tally,
    received: "asyncio.Queue[tuple[str, str, int]]",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flushes, "LAST_WORDS", 0.05)
    asked = asyncio.Event()

    async def never() -> Tallies:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with app, asyncio.timeout(PATIENCE):
        flush = gifts.flush_of()
        assert flush is not None
        flusher = Flusher(flush, never, app.session().sender, app.session().means)
        flusher.start()
        await asked.wait()
        await flusher.stop()
