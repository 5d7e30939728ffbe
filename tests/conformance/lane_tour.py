"""Something of everything that lanes can do, for tests that look at a store meanwhile."""

from goatherd.model.lane import Release, TryAgain
from goatherd.testing.suites.lane_people import Sender, Worker, burial, give_up, item
from goatherd.testing.suites.lane_store import LaneStore, StandingClock


async def tour(lanes: LaneStore, clock: StandingClock) -> None:
    """Put in, claim, settle in every way, beat, look, order, and drain."""
    sender, worker = Sender(lanes), Worker(lanes, "mail", "sms", lease=10.0)
    await sender.put_each([f"mail/to={number}" for number in range(8)])
    await sender.send(item("b", "mail/to=0", limit=5, named=True), item("c", "mail/to=0", queue="sms"))
    await sender.send(item("slow", "mail/to=1", delay=5.0, keep_place=True), item("later", "mail/to=9", delay=5.0))
    await sender.repeat()
    done, released, again, held, skipped, cancelled, *left = await worker.claim(8)
    await worker.exchange(
        give_up(held, "hold"),
        give_up(skipped, "skip"),
        give_up(cancelled, "cancel_rest"),
        Release(hold=released.hold),
        TryAgain(hold=again.hold, content=b"again", delay=5.0),
    )
    await worker.repeat()
    await lanes.beat([claim.hold for claim in (done, *left)], 10.0)
    assert [state.key for state in await lanes.find(condition="held")] == [held.lane]
    assert len(await lanes.find(containing="to=")) == 6
    assert len(await lanes.jobs("mail/to=0", 10)) == 3
    assert await lanes.unblock(left[0].lane)
    assert await lanes.skip(held.lane, burial())
    assert await lanes.retry(again.lane, b"now")
    letters = await lanes.letters(10)
    assert len(letters) == 3
    await lanes.remove_letters([letter.id for letter in letters])
    await worker.commit(done)
    clock.advance(11.0)
    assert len(await worker.drain()) == 8
