"""What data wants is what is listened to, and nothing is lost on the way."""

import asyncio
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from goatherd import Goatherd
from goatherd.adapters.sqlite.held import Held
from goatherd.engine.listener_group import FEW
from goatherd.roles import working
from tests.unit.listeners.hall import PATIENCE, Doors, Wants, listening, make


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


async def test_those_that_are_being_ended_when_the_worker_stops_are_ended(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending, stop = asyncio.Event(), Held.stop
    ended: list[str] = []

    async def slowly(held: Held) -> None:
        if not ending.is_set():
            ending.set()
            await asyncio.Event().wait()
        await stop(held)
        ended.append(held.queue)

    doors = Doors(app, 1, 2)
    async with app:
        async with listening(app) as hall:
            await hall.listens_to("match-1", "match-2")
            monkeypatch.setattr(Held, "stop", slowly)
            doors.wants.say(2)
            await ending.wait()
        assert sorted(set(ended)) == ["match-1", "match-2"]
        states = await app.session().ports.operations.queues()
        assert {state.consumers for state in states} == {0}


async def test_of_two_workers_in_a_process_one_may_end(app: Goatherd) -> None:
    doors = Doors(app, 1)
    async with listening(app) as hall:
        await hall.listens_to("match-1")
        async with working(app):
            doors.wants.say(1)
            doors.wants.say(1)
            async with asyncio.timeout(PATIENCE):
                while not app.hearing[1].groups[0].listeners:
                    await app.hearing[1].settled()
        [state] = await app.session().ports.operations.queues()
        assert state.consumers == 1, "and is still told when there is something"


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
