"""A job that the broker took back before it started is not started here."""

from typing import Any

import pytest

from goatherd import Goatherd
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
