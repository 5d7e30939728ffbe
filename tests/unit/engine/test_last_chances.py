"""Jobs that may have killed a worker, inside of a real one."""

import asyncio

import pytest

from goatherd import Goatherd
from goatherd.engine import worker as worker_module
from goatherd.model.message import DEATHS
from tests.unit.engine.stage import HandClock, Notes, at_work

SUSPECT = b'{"task_id": "suspect", "step": "work", "payload": {"name": "suspect"}}'


class Yard:
    """Jobs that say when they start and end when they are let go."""

    def __init__(self, app: Goatherd) -> None:
        self.started: list[str] = []
        self.notes = Notes()
        self.may_end: dict[str, asyncio.Event] = {}

        @app.task
        async def work(name: str) -> None:
            self.started.append(name)
            self.notes(name)
            await self.may_end.setdefault(name, asyncio.Event()).wait()

        self.work = work

    def let_go(self, name: str) -> None:
        self.may_end.setdefault(name, asyncio.Event()).set()


async def test_a_job_that_killed_three_workers_is_given_up_without_another_try(app: Goatherd) -> None:
    yard = Yard(app)
    async with at_work(app) as stage:
        await stage.publish("shop", SUSPECT, headers={DEATHS: 3})
        letter = await stage.letter()
    assert (letter.reason, letter.error_type, letter.attempts) == ("crashed", "WorkerDied", 3)
    assert letter.message == "3 processes died while they ran it"
    assert yard.started == []


async def test_a_last_chance_waits_for_the_others_and_holds_up_those_behind_it(app: Goatherd) -> None:
    yard = Yard(app)
    async with at_work(app) as stage:
        await yard.work.send("before")
        await stage.saw("delivered")
        await stage.publish("shop", SUSPECT, headers={DEATHS: 2})
        await yard.work.send("behind")
        await stage.saw("delivered", 3)
        assert yard.started == ["before"]
        yard.let_go("before")
        await yard.notes.saw("suspect")
        assert yard.started == ["before", "suspect"]
        assert stage.worker.running == 1
        yard.let_go("suspect")
        yard.let_go("behind")
        await stage.saw("acked", 3)
    assert yard.started == ["before", "suspect", "behind"]


async def test_a_last_chance_does_not_wait_for_ever(
    app: Goatherd, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "LONGEST_WAIT", 0.01)
    yard = Yard(app)
    async with at_work(app) as stage:
        await yard.work.send("endless")
        await stage.saw("delivered")
        await stage.publish("shop", SUSPECT, headers={DEATHS: 2})
        await stage.saw("delivered", 2)
        assert yard.started == ["endless"]
        clock.advance(31)
        yard.let_go("suspect")
        await stage.saw("acked")
        yard.let_go("endless")
    assert yard.started == ["endless", "suspect"]


async def test_suspects_with_chances_left_run_one_at_a_time_beside_the_others(app: Goatherd) -> None:
    yard = Yard(app)
    async with at_work(app) as stage:
        for name in ("one", "two"):
            await stage.publish("shop", SUSPECT.replace(b"suspect", name.encode()), id=name, headers={DEATHS: 1})
        await stage.saw("delivered", 2)
        await yard.work.send("other")
        await stage.saw("delivered", 3)
        assert yard.started == ["one", "other"]
        yard.let_go("one")
        await yard.notes.saw("two")
        assert yard.started == ["one", "other", "two"]
        yard.let_go("two")
        yard.let_go("other")
        await stage.saw("acked", 3)


async def test_suspects_that_have_not_started_are_handed_back_at_the_stop(app: Goatherd) -> None:
    yard = Yard(app)
    async with at_work(app) as stage:
        await yard.work.send("before")
        await stage.saw("delivered")
        await stage.publish("shop", SUSPECT, headers={DEATHS: 2})
        await stage.saw("delivered", 2)
        stopping = asyncio.create_task(stage.worker.stop())
        await stage.saw("handed back")
        yard.let_go("before")
        await stopping
    assert yard.started == ["before"]
