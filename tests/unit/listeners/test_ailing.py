"""A source, a queue or a store that is at fault harms nobody else, is told of, and may come back."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from goatherd import Goatherd
from goatherd.adapters.sqlite.listener_records import SqliteListenerRecords
from goatherd.engine import queue_listener, wanted_names
from goatherd.errors import Unavailable
from tests.unit.listeners.hall import Doors, Wants, listening


async def test_one_wrong_name_harms_no_other(app: Goatherd, caplog: pytest.LogCaptureFixture) -> None:
    doors = Doors(app, 1, "two", True, 3)  # type: ignore[arg-type]
    async with listening(app) as hall:
        await hall.listens_to("match-1", "match-3")
        health = await app.health()
        assert health.ready
        assert [reason for reason in health.reasons if "'two' is no name" in reason]
        doors.wants.say(3)
        await hall.listens_to("match-3")
        assert (await app.health()).reasons == []
    assert "There is no listener for the name 'two'" in caplog.text


@pytest.mark.parametrize("odd", [None, "match-1", b"x", 7, {1: 2}, [[1]]])
async def test_a_source_that_gives_nonsense_keeps_what_it_said(app: Goatherd, odd: object) -> None:
    doors = Doors(app, 1)
    async with listening(app) as hall:
        await hall.listens_to("match-1")
        doors.wants.give(odd)  # type: ignore[arg-type]
        await hall.when(lambda: bool(hall.listeners.reasons))
        assert hall.queues == ["match-1"]
        assert hall.listeners.counts()["match-{}"].source_failing


async def test_a_source_that_fails_keeps_what_it_said_and_is_asked_again(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(wanted_names, "SOONEST", 0.01)
    doors = Doors(app, 1)
    async with listening(app) as hall:
        await hall.listens_to("match-1")
        doors.wants.fail(ConnectionError("the database is away"))
        await hall.when(lambda: doors.wants.begun > 1)
        health = await app.health()
        assert health.ready
        assert [reason for reason in health.reasons if "the database is away" in reason]
        doors.wants.say(1, 2)
        await hall.listens_to("match-1", "match-2")
        assert (await app.health()).reasons == []
    assert caplog.text.count("does not tell what is wanted") == 1


async def test_a_source_is_asked_again_and_again(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted_names, "SOONEST", 0.01)
    answers: list[object] = [[1], ConnectionError("away"), ConnectionError("away"), {1, 2}]
    asked = 0

    async def source() -> list[int]:
        nonlocal asked
        asked += 1
        told = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(told, Exception):
            raise told
        return told  # type: ignore[return-value]

    @app.listeners("match-{}", source, every=0.01)
    async def join(setting: int) -> None: ...

    async with listening(app) as hall:
        await hall.listens_to("match-1", "match-2")
    assert asked >= 4


async def test_a_source_that_is_interrupted_or_called_wrongly_is_told_and_asked_again(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wanted_names, "SOONEST", 0.01)
    asked = 0

    async def source() -> list[int]:
        nonlocal asked
        asked += 1
        if asked < 3:
            # As when the task of a database driver was cancelled.
            raise asyncio.CancelledError
        return [1]

    async def needy(database: object) -> AsyncIterator[list[int]]:
        yield []

    @app.listeners("match-{}", source, every=0.01)
    async def join(setting: int) -> None: ...

    @app.listeners("pool-{}", needy)
    async def fill(setting: int) -> None: ...

    async with listening(app) as hall:
        await hall.listens_to("match-1")
        await hall.when(lambda: "missing 1 required positional argument" in str(hall.listeners.reasons))


async def test_a_source_that_cannot_even_end_is_begun_again(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted_names, "SOONEST", 0.01)
    begun = 0

    async def source() -> AsyncIterator[list[int]]:
        nonlocal begun
        begun += 1
        try:
            yield [begun]
            yield [[begun]]  # type: ignore[list-item]  # no name
        finally:
            raise ConnectionError("the cursor is gone")

    @app.listeners("match-{}", source)
    async def join(setting: int) -> None: ...

    async with listening(app) as hall:
        await hall.when(lambda: begun > 2)


async def test_one_that_goes_on_giving_nonsense_is_told_once_and_asked_less_often(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(wanted_names, "SOONEST", 0.001)
    doors = Doors(app, 1)
    async with listening(app) as hall:
        await hall.listens_to("match-1")
        for _ in range(3):
            doors.wants.give([[1]])  # type: ignore[list-item]
        await hall.when(lambda: doors.wants.begun > 3)
        assert hall.listeners.groups[0].names._pause() == 0.004
    assert caplog.text.count("does not tell what is wanted") == 1


async def test_a_source_that_hangs_is_told_and_leaves_the_worker_unready(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wanted_names, "PATIENCE", 0.05)

    async def source() -> list[int]:
        await asyncio.Event().wait()
        return []

    @app.listeners("match-{}", source)
    async def join(setting: int) -> None: ...

    async with listening(app) as hall:
        health = await app.health()
        assert not health.ready
        await hall.when(lambda: "did not answer within" in str(hall.listeners.reasons))
        assert not (await app.health()).ready


async def test_a_queue_of_another_shape_is_quarantined_alone_and_comes_back(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(queue_listener, "SOONEST", 0.001)
    monkeypatch.setattr(queue_listener, "LATEST", 0.002)
    other = Goatherd("other", broker_url=app.settings.broker_url)
    other.queue("match-66", max_length=5)
    doors = Doors(app, *range(150))
    async with other, listening(app) as hall:
        await hall.when(lambda: hall.standing("match-66").condition == "quarantined" if hall.queues else False)
        running = [queue for queue in hall.queues if hall.standing(queue).condition == "running"]
        assert len(running) == 149
        health = await app.health()
        assert health.ready
        assert [reason for reason in health.reasons if "match-66" in reason and "max_length" in reason]
        count = hall.listeners.counts()["match-{}"]
        assert (count.wanted, count.running, count.unhealthy) == (150, 149, 1)
        assert 'goatherd_listeners_unhealthy{pattern="match-{}"} 1.0' in app.metrics()
        await doors.join.send(65, 1)
        await doors.saw((65, 1))
        # An operator mends it.
        database = app.session().ports.broker._database  # type: ignore[attr-defined]
        await database.write(
            lambda connection: connection.execute(
                "UPDATE queue SET max_length = NULL WHERE name = 'match-66'"
            ).fetchall()
        )
        await hall.when(lambda: hall.standing("match-66").condition == "running")
        await hall.listeners.settled()
        assert (await app.health()).reasons == []
    assert caplog.text.count("Listener match-66 is in quarantine") == 1
    assert caplog.text.count("Recovered listener: match-66") == 1
    assert caplog.text.count("Recovered listener") == 1


async def test_a_queue_belongs_to_the_task_that_had_it_first(app: Goatherd, caplog: pytest.LogCaptureFixture) -> None:
    wants, more = Wants("a", "shop"), Wants("b")

    @app.task(queue="q-shop")
    async def shop() -> None: ...

    @app.listeners("q-{}", wants.source)
    async def first(name: str) -> None: ...

    @app.listeners("{}", more.source)
    async def second(name: str) -> None: ...

    async with listening(app) as hall:
        await hall.when(lambda: "q-shop" in hall.queues and "b" in hall.queues)
        assert "belongs to one task alone" in hall.standing("q-shop").why
        more.say("b", "q-a")
        await hall.when(lambda: "q-a" in hall.listeners.groups[1].listeners)
        refused = hall.listeners.groups[1].listeners["q-a"]
        assert refused.standing.condition == "quarantined"
        assert "task 'first' listens to this queue already" in refused.standing.why
        # On record there is one line for a queue, and it is the one that tells what is wrong.
        rows = {(row.queue, row.pattern, row.standing.condition) for row in hall.listeners.rows("me")}
        assert rows == {
            ("q-a", "{}", "quarantined"), ("q-shop", "q-{}", "quarantined"), ("b", "{}", "running"),
        }  # fmt: skip
    assert caplog.text.count("is not started") == 2


async def test_the_wish_of_an_operator_starts_a_listener_anew(app: Goatherd, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    doors = Doors(app, 1)
    async with listening(app) as hall:
        await hall.listens_to("match-1")
        records = await app.session().recurring.listeners()
        while not await records.find():
            await hall.listeners.settled()
        assert await records.restart("match-1") == 1
        # Any change is told at once, and the wish is heard with it.
        doors.wants.say(1, 2)
        await hall.when(lambda: "Listener match-1 is started anew" in caplog.text)
        await hall.listens_to("match-1", "match-2")


async def test_records_that_are_away_do_no_harm(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = 0

    async def away(*_: object) -> None:
        nonlocal asked
        asked += 1
        raise Unavailable("the records are away")

    monkeypatch.setattr(SqliteListenerRecords, "report", away)
    doors = Doors(app, 1)
    async with listening(app) as hall:
        await hall.listens_to("match-1")
        doors.wants.say(1, 2)
        await hall.listens_to("match-1", "match-2")
        await hall.when(lambda: asked > 1)
        await doors.join.send(2, 1)
        await doors.saw((2, 1))
    assert caplog.text.count("the records are away") == 1
