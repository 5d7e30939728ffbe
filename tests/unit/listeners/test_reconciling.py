"""What data wants is what is listened to, whatever happens on the way."""

import asyncio
import logging
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from goatherd import Goatherd, Retry
from goatherd.engine import queue_listener, wanted_names
from goatherd.engine.listener_group import FEW
from tests.unit.listeners.hall import PATIENCE, Wants, listening


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    return make(tmp_path)


def make(folder: Path) -> Goatherd:
    return Goatherd("arcade", broker_url=f"sqlite:///{folder}/jobs.db", retry=Retry(0))


class Doors:
    """A task whose jobs wait until they are let go on, and what was done."""

    def __init__(self, app: Goatherd, *names: int) -> None:
        self.wants = Wants(*names)
        self.done: Counter[tuple[int, int]] = Counter()
        self.begun: asyncio.Queue[tuple[int, int]] = asyncio.Queue()
        self.open = asyncio.Event()
        self.open.set()
        self._more = asyncio.Event()

        @app.listeners("match-{}", self.wants.source)
        async def join(setting: int, number: int) -> None:
            self.begun.put_nowait((setting, number))
            await self.open.wait()
            self.done[setting, number] += 1
            self._more.set()

        self.join = join

    async def saw(self, *done: tuple[int, int]) -> None:
        """Return when all of these are done."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not set(done) <= set(self.done):
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"{set(done) - set(self.done)} were not done") from None


async def test_names_come_and_go_while_it_runs(app: Goatherd) -> None:
    doors = Doors(app, 1, 2)
    async with listening(app) as hall:
        await hall.listens_to("match-1", "match-2")
        doors.wants.say(2, 3, 3)
        await hall.listens_to("match-2", "match-3")
        await doors.join.send(3, 1)
        await doors.join.send(1, 1)
        await doors.saw((3, 1))
        assert not doors.done[1, 1], "nobody listens to it"
        doors.wants.say()
        await hall.listens_to()
        doors.wants.say(1)
        await hall.listens_to("match-1")
        await doors.saw((1, 1))
        states = {state.name: state.consumers for state in await app.session().ports.operations.queues()}
        assert states["match-1"] == 1
        assert states["match-2"] == states["match-3"] == 0, "their queues stay"


async def test_what_is_in_flight_when_its_name_goes_is_finished(app: Goatherd) -> None:
    doors = Doors(app, 1)
    doors.open.clear()
    async with listening(app) as hall:
        await hall.listens_to("match-1")
        for number in range(40):
            await doors.join.send(1, number)
        assert await doors.begun.get() == (1, 0)
        doors.wants.say(2)
        await hall.listens_to("match-2")
        doors.open.set()
        await doors.saw((1, 0))
        doors.wants.say(1)
        await doors.saw(*((1, number) for number in range(40)))
    assert set(doors.done.values()) == {1}
    await nothing_is_left(app)


async def nothing_is_left(app: Goatherd) -> None:
    async with app:
        for state in await app.session().ports.operations.queues():
            assert (state.name, state.ready, state.running, state.dead) == (state.name, 0, 0, 0)


async def test_a_plain_job_of_a_name_that_is_gone_is_still_that_tasks(app: Goatherd) -> None:
    """Its message says neither its task nor its name, and another pattern would fit, too."""
    wants, done = Wants("match-1"), asyncio.Queue[str]()
    more, go_on = Wants(1), asyncio.Event()

    @app.listeners("{}", wants.source, format="plain")
    async def general(name: str, number: int) -> None:
        await go_on.wait()
        done.put_nowait(f"{name} {number}")

    @app.listeners("match-{}", more.source, format="plain")
    async def special(setting: int, number: int) -> None:
        done.put_nowait(f"special {number}")

    more.say()
    async with listening(app) as hall:
        await hall.listens_to("match-1")
        for number in range(3):
            await general.send("match-1", number)
        running = 0
        while running < 3:
            states = await app.session().ports.operations.queues()
            [running] = [state.running or 0 for state in states if state.name == "match-1"]
        wants.say("other")
        await hall.listens_to("other")
        go_on.set()
        async with asyncio.timeout(PATIENCE):
            assert sorted([await done.get() for _ in range(3)]) == ["match-1 0", "match-1 1", "match-1 2"]


async def test_a_stopped_worker_leaves_nothing_behind(app: Goatherd) -> None:
    doors = Doors(app, *range(50))
    async with app:
        for _ in range(3):
            async with listening(app) as hall:
                await hall.listens_to(*(f"match-{number}" for number in range(50)))
            assert not app.hearing
            states = await app.session().ports.operations.queues()
            assert {state.consumers for state in states if state.name.startswith("match-")} == {0}
            assert not [task for task in asyncio.all_tasks() if "listener" in task.get_name()]
            doors.wants.say(*range(50))


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
    assert caplog.text.count("is not started") == 2


async def test_a_worker_of_some_queues_has_the_listeners_of_some_patterns(app: Goatherd) -> None:
    @app.task(queue="mail")
    async def mail() -> None: ...

    @app.listeners("a-{}", ["1"])
    async def first(name: str) -> None: ...

    @app.listeners("b-{}", ["1"])
    async def second(name: str) -> None: ...

    async with listening(app, queues=["b-{}"]) as hall:
        await hall.listens_to("b-1")
        states = {state.name: state.consumers for state in await app.session().ports.operations.queues()}
        assert (states["mail"], states["a-1"], states["b-1"]) == (0, 0, 1)


async def test_few_listeners_hold_as_much_as_queues_and_thousands_little(app: Goatherd) -> None:
    doors = Doors(app, *range(300))
    async with listening(app) as hall:
        await hall.listens_to(*(f"match-{number}" for number in range(300)))
        [group] = hall.listeners.groups
        assert {one.consumption.prefetch for one in group.listeners.values()} == {FEW}  # type: ignore[union-attr]
        doors.wants.say(1000)
        await hall.listens_to("match-1000")
        [one] = group.listeners.values()
        assert one.consumption.prefetch == app.settings.held_by_worker  # type: ignore[union-attr]


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
    from goatherd.adapters.sqlite.listener_records import SqliteListenerRecords
    from goatherd.errors import Unavailable

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


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    turns=some.lists(
        some.tuples(some.sets(some.integers(0, 5), max_size=4), some.lists(some.integers(0, 5), max_size=6)),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_is_wanted_in_turn_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[set[int], list[int]]]
) -> None:
    """Under traffic: each job is done once its queue is wanted at last, none twice, none left."""

    async def play() -> None:
        app = make(tmp_path_factory.mktemp("turns"))
        doors = Doors(app)
        sent: list[tuple[int, int]] = []
        async with listening(app) as hall:
            for names, queues in turns:
                doors.wants.say(*names)
                for queue in queues:
                    sent.append((queue, len(sent)))
                    await doors.join.send(*sent[-1])
            doors.wants.say(*range(6))
            await hall.listens_to(*(f"match-{number}" for number in range(6)))
            await doors.saw(*sent)
        assert doors.done == Counter(sent)
        await nothing_is_left(app)

    asyncio.run(play())
