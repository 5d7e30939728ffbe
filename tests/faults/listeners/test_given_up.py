"""What is given up in the middle, and what is done to queues behind our back, leaves nobody deaf and loses nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd, Retry
from goatherd.adapters.rabbitmq.broker import RabbitBroker
from goatherd.desk.letter_office import office_of
from goatherd.desk.queues import read_states
from goatherd.errors import CallTimeout, Unavailable
from goatherd.model.dead_letter import LetterFilter
from scripts.servers.proxy import Proxy
from tests.faults.listeners.crowd import Stranger, crowd, stranger
from tests.unit.listeners.hall import Wants, listening

pytestmark = [pytest.mark.servers, pytest.mark.timeout(180)]

#: Seconds within which whatever is promised must have happened, on a slow machine too.
PATIENCE = 60.0


@pytest.fixture
async def somebody(url: str) -> AsyncIterator[Stranger]:
    async with stranger(url) as one:
        yield one


def make(url: str, folder: Path, **settings: Any) -> Goatherd:
    file = f"sqlite:///{folder}/jobs.db"
    return Goatherd("arcade", broker_url=url, records_url=file, events_url=file, **{"retry": Retry(0), **settings})


async def test_one_whose_start_is_given_up_never_comes_alive(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would take messages for which nobody is left."""
    async with crowd(url) as listeners:
        await listeners.declare(["a"])
        broker, going_on, begun = listeners.broker, asyncio.Event(), asyncio.Event()
        have = broker.layout.have

        async def slowly(queue: str, *, again: bool) -> None:
            begun.set()
            await going_on.wait()
            await have(queue, again=again)

        monkeypatch.setattr(broker.layout, "have", slowly)
        starting = asyncio.create_task(listeners.listen(["a"]))
        await begun.wait()
        starting.cancel()
        await asyncio.wait([starting])
        going_on.set()
        await listeners.listen(["a"])
        await listeners.hears(await listeners.send(["a"]))
        [state] = await broker.queues(["a"])
        assert state.consumers == 1
        assert len(broker._hosting.members) == 1


async def test_operators_see_and_pause_the_queue_of_a_listener(url: str, tmp_path: Path) -> None:
    app, wants = make(url, tmp_path), Wants(1, 2)
    done: asyncio.Queue[int] = asyncio.Queue()

    @app.listeners("match-{}", wants.source)
    async def join(setting: int) -> None:
        done.put_nowait(setting)

    operator = make(url, tmp_path)

    @operator.listeners("match-{}", wants.source)
    async def known(setting: int) -> None: ...

    async with listening(app) as hall, operator:
        await hall.listens_to("match-1", "match-2")
        [state] = await read_states(operator, "match-1")
        assert (state.name, state.consumers, state.paused) == ("match-1", 1, False)
        await operator.session().ports.controls.pause("match-1")
        async with asyncio.timeout(PATIENCE):
            while hall.standing("match-1").condition != "paused":
                await asyncio.sleep(0.05)
            while {each.name for each in await read_states(operator, None)} < {"match-1", "match-2"}:
                await asyncio.sleep(0.05)
        [state] = await read_states(operator, "match-1")
        assert (state.consumers, state.paused) == (0, True)
        await join.send(1)
        await join.send(2)
        assert await asyncio.wait_for(done.get(), PATIENCE) == 2
        await operator.session().ports.controls.resume("match-1")
        assert await asyncio.wait_for(done.get(), PATIENCE) == 1
        assert hall.standing("match-1").condition == "running"


@pytest.mark.usefixtures("hasty")
async def test_delayed_jobs_find_a_queue_that_somebody_made_anew(url: str, tmp_path: Path, somebody: Stranger) -> None:
    app, wants = make(url, tmp_path), Wants(1)
    done: asyncio.Queue[int] = asyncio.Queue()

    @app.listeners("match-{}", wants.source)
    async def join(setting: int) -> None:
        done.put_nowait(setting)

    async with listening(app) as hall:
        await hall.listens_to("match-1")
        await join.send(1)
        assert await asyncio.wait_for(done.get(), PATIENCE) == 1
        await somebody.delete("match-1")
        await somebody.make("match-1")
        async with asyncio.timeout(PATIENCE):
            while hall.standing("match-1").restarts < 1:
                await asyncio.sleep(0.02)
        await join.options(delay=0.2).send(1)
        assert await asyncio.wait_for(done.get(), PATIENCE) == 1


@pytest.mark.parametrize("delay", [0.0, 0.2])
async def test_a_job_that_fails_when_its_queue_is_gone_for_good_is_a_dead_letter(
    url: str, tmp_path: Path, somebody: Stranger, delay: float
) -> None:
    """And does not hold its place among those that run for ever."""
    app, wants = make(url, tmp_path, retry=Retry(3, base=delay, jitter=0)), Wants(1)
    begun, going_on = asyncio.Event(), asyncio.Event()

    @app.listeners("match-{}", wants.source)
    async def join(setting: int) -> None:
        begun.set()
        await going_on.wait()
        raise ConnectionError("nobody is there")

    async with listening(app) as hall:
        await hall.listens_to("match-1")
        await join.send(1)
        await begun.wait()
        wants.say()
        await hall.listens_to()
        await somebody.delete("match-1")
        going_on.set()
        letters = app.session().ports.dead_letters
        async with asyncio.timeout(PATIENCE):
            while not (found := [letter async for letter in letters.find(LetterFilter())]):
                await asyncio.sleep(0.1)
        [letter] = found
        assert (letter.original.queue, letter.burial.error_type) == ("match-1", "QueueDeleted")
        # Put back, it waits for whoever wants that name again.
        assert await office_of(app).replay_one(letter.id)
        [state] = await app.session().ports.operations.queues(["match-1"])
        assert state.ready == 1


async def test_a_job_for_a_queue_that_was_deleted_meanwhile_is_sent(
    url: str, tmp_path: Path, somebody: Stranger
) -> None:
    app, wants = make(url, tmp_path), Wants(1)

    @app.listeners("match-{}", wants.source)
    async def join(setting: int, number: int) -> int:
        return number

    async with app:
        await join.send(1, 1)
        await somebody.delete("match-1")
        await app.send_many([join.job(1, 2), join.job(2, 3), join.job(1, 4)])
        first, second = await app.session().ports.operations.queues(["match-1", "match-2"])
        assert (first.ready, second.ready) == (2, 1)
        await somebody.delete("match-1")
        with pytest.raises(Unavailable, match="no queue 'match-1'"):
            await join.call(1, 5)
        with pytest.raises(CallTimeout):
            await join.options(deadline=0.5).call(1, 6)


@pytest.mark.usefixtures("hasty")
async def test_a_line_that_is_cut_again_and_again(proxy: Proxy, proxied_url: str) -> None:
    names = [f"matching-pvp-{number}" for number in range(100)]
    async with crowd(proxied_url) as listeners:
        await listeners.declare(names)
        await listeners.listen(names)
        for turn in range(20):
            proxy.cut()
            await asyncio.sleep(0.05 * (turn % 5))
        await asyncio.gather(*(listeners.stands(name, "running") for name in names))
        await listeners.hears(await listeners.send(names, "after"))
        broker = listeners.broker
        assert isinstance(broker, RabbitBroker)
        for state in await broker.queues(names):
            assert (state.name, state.consumers) == (state.name, 1)
        assert broker._hosting.channels == 1
