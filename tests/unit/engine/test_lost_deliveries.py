"""A job that the broker took back before it started is not started here."""

from collections.abc import Callable
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.model.message import Delivery
from tests.unit.engine.stage import at_work


async def test_a_lost_delivery_is_let_go_and_the_job_is_done_when_it_comes_again(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []

    @app.task
    async def work(number: int) -> None:
        done.append(number)

    async with at_work(app) as stage:
        broker: Any = stage.broker
        answers = iter([True])
        monkeypatch.setattr(broker, "is_lost", lambda _delivery: next(answers, False))
        await work.send(7)
        await stage.saw("handed back")
        await stage.saw("acked")
    assert done == [7]


async def test_one_that_is_lost_before_it_began_does_not_keep_its_place(
    make_app: Callable[..., Goatherd], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    app = make_app(concurrency=1)

    @app.task
    async def work(number: int) -> None:
        done.append(number)

    async with at_work(app) as stage:
        broker: Any = stage.broker
        worker: Any = stage.worker
        begin, lost = worker._running.begin, set[object]()

        def lose_the_first(delivery: Delivery, *doing: Any, job: Any) -> None:
            begin(delivery, *doing, job)
            if not lost:
                lost.add(delivery)
                worker._lose(delivery)

        monkeypatch.setattr(worker._running, "begin", lose_the_first)
        monkeypatch.setattr(broker, "is_lost", lost.__contains__)
        await work.send(7)
        await stage.saw("acked")
    assert done == [7]
