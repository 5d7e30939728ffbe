"""How much a worker takes on, and in which order."""

import asyncio
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import DefinitionError
from goatherd.roles import working
from tests.unit.engine.stage import at_work, opened


class Crowd:
    """Jobs that run until they are let go, and how many did at once."""

    def __init__(self) -> None:
        self.inside = 0
        self.most = 0
        self._go_on = asyncio.Semaphore(0)

    async def enter(self) -> None:
        self.inside += 1
        self.most = max(self.most, self.inside)
        await self._go_on.acquire()
        self.inside -= 1

    def let_go(self, jobs: int) -> None:
        for _ in range(jobs):
            self._go_on.release()


async def test_a_worker_does_no_more_at_once_than_it_is_told(make_app: Any) -> None:
    app, crowd = make_app(concurrency=3, prefetch=50), Crowd()

    @app.task
    async def work() -> None:
        await crowd.enter()

    async with at_work(app) as stage:
        await app.send_many(work.job() for _ in range(20))
        await stage.saw("delivered", 20)
        assert crowd.inside == stage.worker.running == 3
        crowd.let_go(20)
        await stage.saw("acked", 20)
    assert crowd.most == 3


async def test_the_command_lines_word_wins_over_the_setting(make_app: Any) -> None:
    app, crowd = make_app(concurrency=16), Crowd()

    @app.task
    async def work() -> None:
        await crowd.enter()

    async with at_work(app, concurrency=2) as stage:
        await app.send_many(work.job() for _ in range(6))
        await stage.saw("delivered", 4)
        assert crowd.inside == 2
        crowd.let_go(6)
        await stage.saw("acked", 6)


async def test_a_worker_holds_no_more_than_its_prefetch(make_app: Any) -> None:
    app, crowd = make_app(concurrency=2, prefetch=3), Crowd()

    @app.task
    async def work() -> None:
        await crowd.enter()

    async with at_work(app) as stage:
        await app.send_many(work.job() for _ in range(5))
        await stage.saw("delivered", 3)
        [queue] = await app.session().ports.operations.queues()
        assert (queue.running, queue.ready) == (3, 2)
        crowd.let_go(5)
        await stage.saw("acked", 5)


async def test_a_task_runs_no_more_often_at_once_than_it_says(app: Goatherd) -> None:
    limited, free = Crowd(), Crowd()

    @app.task(concurrency=2)
    async def heavy() -> None:
        await limited.enter()

    @app.task
    async def light() -> None:
        await free.enter()

    async with at_work(app) as stage:
        await app.send_many([*(heavy.job() for _ in range(6)), *(light.job() for _ in range(4))])
        await stage.saw("delivered", 10)
        await asyncio.sleep(0)
        assert (limited.inside, free.inside) == (2, 4)
        free.let_go(4)
        limited.let_go(6)
        await stage.saw("acked", 10)
    assert limited.most == 2


async def test_urgent_jobs_come_first_and_equal_ones_in_the_order_of_sending(make_app: Any) -> None:
    app, order = make_app(concurrency=1), []

    @app.task(priority=2)
    async def work(name: str) -> None:
        order.append(name)

    async with opened(app):
        await work.options(priority=0).send("last")
        await work.send("second")
        await work.options(priority=9).send("first")
        await work.send("third")
    async with at_work(app) as stage:
        await stage.saw("acked", 4)
    assert order == ["first", "second", "third", "last"]


async def test_a_worker_may_take_from_some_queues_only(app: Goatherd) -> None:
    seen = []

    @app.task(queue="mail")
    async def send_mail() -> None:
        seen.append("mail")

    @app.task(queue="images")
    async def resize() -> None:
        seen.append("image")

    async with at_work(app, queues=["mail"]) as stage:
        await resize.send()
        await send_mail.send()
        await stage.saw("acked")
        states = {queue.name: queue.ready for queue in await app.session().ports.operations.queues()}
    assert (seen, states) == (["mail"], {"images": 1, "mail": 0})


async def test_a_queue_that_no_task_is_on_is_told_with_those_there_are(app: Goatherd) -> None:
    @app.task(queue="mail")
    async def send_mail() -> None: ...

    async with app:
        with pytest.raises(DefinitionError, match=r"is on queue mial\. Its queues: mail"):
            await working(app, queues=["mial"]).__aenter__()


async def test_an_app_without_tasks_has_nothing_to_work_on(app: Goatherd) -> None:
    async with app:
        with pytest.raises(DefinitionError, match="has no task that a worker could do"):
            await working(app).__aenter__()


async def test_a_remote_task_is_left_to_others(app: Goatherd) -> None:
    @app.task(remote=True, queue="theirs")
    async def analyse() -> None:
        raise NotImplementedError

    @app.task
    async def greet() -> None: ...

    async with at_work(app) as stage:
        await analyse.send()
        await greet.send()
        await stage.saw("acked")
        assert await stage.letters() == []


async def test_two_tasks_cannot_share_a_plain_queue(app: Goatherd) -> None:
    requests = app.queue("requests", format="plain")

    @app.task(queue=requests)
    async def one() -> None: ...

    @app.task(queue=requests)
    async def two() -> None: ...

    async with app:
        with pytest.raises(DefinitionError, match="'one' and 'two' share the plain queue 'requests'"):
            await working(app).__aenter__()


async def test_idle_means_that_all_that_was_delivered_is_settled(app: Goatherd) -> None:
    crowd = Crowd()

    @app.task
    async def work() -> None:
        await crowd.enter()

    async with at_work(app) as stage:
        await stage.worker.idle()
        await work.send()
        await stage.saw("delivered")
        waiting = asyncio.create_task(stage.worker.idle())
        crowd.let_go(1)
        await waiting
        assert stage.notes.counted["acked"] == 1
