"""What a conductor does when something that it needs is away, and that it leaves nothing behind."""

import asyncio
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.engine import conductor
from goatherd.engine.conductor import BATCH, CONDUCTOR
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.errors import Unavailable
from goatherd.model.dead_letter import LetterFilter
from goatherd.model.run_record import UnitExchange, UnitExchanged
from goatherd.roles import working

PATIENCE = 30.0


async def test_all_old_runs_are_forgotten_however_many_there_are(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input)
    async def pay(number: int) -> int:
        return number

    monkeypatch.setattr(conductor, "SEE_TO_ENDS_EVERY", 0.01)
    left, all_gone = 3 * BATCH + 1, asyncio.Event()
    async with app:
        steps: Any = (await app.session().records()).steps

        async def forget(_older_than: float, limit: int) -> int:
            nonlocal left
            gone = min(left, limit)
            left -= gone
            if not left:
                all_gone.set()
            return gone

        monkeypatch.setattr(steps, "forget", forget)
        async with working(app), asyncio.timeout(PATIENCE):
            await all_gone.wait()


async def test_letters_come_to_the_dead_though_nobody_can_be_told_of_the_end(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input)
    async def pay(number: int) -> int:
        raise ValueError("no money")

    async def away(*_: object) -> None:
        raise Unavailable("The events are away.")

    async with app:
        await app.session().records()
        monkeypatch.setattr(app.session().story, "ended", away)
        office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
        async with working(app), asyncio.timeout(PATIENCE):
            await shop.start(1)
            while not [letter async for letter in office.find(LetterFilter())]:
                await asyncio.sleep(0.02)


async def test_a_claim_for_others_whose_answer_was_lost_is_told_of_all_the_same(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input, queue="abroad", remote=True)
    async def pay(number: int) -> int:
        raise NotImplementedError

    async with app:
        records = await app.session().records()
        steps: Any = records.steps
        exchange, lost = steps.exchange, 0

        async def forgetful(asked: UnitExchange) -> UnitExchanged:
            nonlocal lost
            answer: UnitExchanged = await exchange(asked)
            if asked.wanted and asked.worker.startswith(CONDUCTOR) and not lost:
                lost += 1
                raise Unavailable("Its answer was lost.")
            return answer

        monkeypatch.setattr(steps, "exchange", forgetful)
        await shop.start(1)
        async with asyncio.timeout(PATIENCE):
            while not [each for each in await app.session().ports.operations.queues() if each.ready]:
                await asyncio.sleep(0.02)
        assert lost == 1
