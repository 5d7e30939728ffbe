import pytest

from goatherd.desk import schedules
from goatherd.desk.errors import NotNow, NotThere
from goatherd.desk.schedule_looks import look_at_schedules
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the test stands still, and what is fresh does not depend on it."""
    monkeypatch.setattr(schedules, "FRESH_FOR", 0.0)


async def test_a_schedule_is_shown_before_and_after_a_scheduler_ran(shop: Shop, herd: Herd) -> None:
    [archive] = await schedules.schedules(shop.app)
    assert (archive.name, archive.health, archive.on_record, archive.task) == ("archive", "new", False, "archive")
    with pytest.raises(NotNow, match="not on record yet"):
        await schedules.trigger(shop.app, "archive")
    await herd.advance(3600)
    await herd.drain()
    archive = await schedules.schedule(shop.app, "archive")
    assert (archive.health, archive.on_record) == ("well", True)
    assert archive.next_at is not None
    assert archive.next_at > herd.now
    assert archive.last is not None
    assert archive.last.state == "done"
    assert archive.last.lasted == 0.0
    [coming, then] = await schedules.coming(shop.app, "archive", 2)
    assert coming == archive.next_at
    assert (then - coming).total_seconds() == 3600


async def test_a_failed_tick_is_seen_and_its_history_too(shop: Shop, herd: Herd) -> None:
    await herd.drain()
    shop.broken.add("archive")
    firing = await schedules.trigger(shop.app, "archive")
    assert firing.triggered
    await herd.drain()
    assert (await schedules.schedule(shop.app, "archive")).health == "failing"
    [newest, *_] = await schedules.history(shop.app, "archive")
    assert (newest.id, newest.state) == (firing.id, "failed")


async def test_pause_and_resume(shop: Shop, herd: Herd) -> None:
    await herd.drain()
    await schedules.pause(shop.app, "archive")
    paused = await schedules.schedule(shop.app, "archive")
    assert (paused.health, paused.next_at) == ("paused", None)
    await schedules.resume(shop.app, "archive")
    assert (await schedules.schedule(shop.app, "archive")).health == "well"


async def test_one_that_nobody_fires_is_late(shop: Shop, herd: Herd) -> None:
    await herd.drain()
    [look] = await look_at_schedules(shop.app, await schedules.operations_of(shop.app))
    assert look.state is not None
    assert look.state.next_at is not None
    assert look.health(look.state.next_at + 59) == "well"
    assert look.health(look.state.next_at + 61) == "late"


async def test_one_that_is_not_there(shop: Shop, herd: Herd) -> None:
    for ask in (schedules.schedule, schedules.history, schedules.trigger, schedules.pause, schedules.resume):
        with pytest.raises(NotThere, match="Did you mean 'archive'"):
            await ask(shop.app, "archivee")


async def test_of_many_some_are_chosen(shop: Shop, herd: Herd) -> None:
    for name in ("one", "two", "three"):
        await shop.app.schedules.set(f"report-{name}", shop.mail.job("a@b.c"), every=60)
    found = await schedules.schedules(shop.app, text="report")
    assert [each.name for each in found] == ["report-one", "report-three", "report-two"]
    assert len(await schedules.schedules(shop.app, text="report", limit=2)) == 2
    assert found[0].task is None
