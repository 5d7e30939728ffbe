"""What becomes of units when those who have them, or tell of them, end."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from goatherd import Goatherd
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.roles import working
from goatherd.testing.step_passage import StepPassage
from goatherd.wiring import OpenSteps, Ports, open_ports


class SlowToRead(StepPassage):
    """Records that give results when they may."""

    asked = asyncio.Event()
    may_answer = asyncio.Event()

    async def results(self, wanted: Sequence[tuple[str, str]]) -> Sequence[bytes | None]:
        self.asked.set()
        await self.may_answer.wait()
        return await super().results(wanted)


async def test_a_worker_that_ends_while_it_claims_leaves_what_it_got_to_others(app: Goatherd) -> None:
    SlowToRead.asked, SlowToRead.may_answer = asyncio.Event(), asyncio.Event()
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        return number + 1

    async def open_slowly(settings: Settings, clock: Clock) -> Ports:
        ports = await open_ports(settings, clock)

        async def open_steps() -> OpenSteps:
            opened = await ports.open_steps()
            return replace(opened, steps=SlowToRead(opened.steps))

        return replace(ports, open_steps=open_steps)

    app.opener = open_slowly
    async with asyncio.timeout(20), app:
        run = await ups.options(id="one").start(1)
        async with working(app) as worker:
            await SlowToRead.asked.wait()
            stopping = asyncio.create_task(worker.stop())
            # It takes nothing more, and waits for the answer to what it asked before.
            await asyncio.sleep(0.05)
            SlowToRead.may_answer.set()
            await stopping
            look = await (await app.session().records()).operations.look(run.id)
            assert look is not None
            [step] = look.steps
            assert (step.state, step.deaths) == ("ready", 0)


async def test_a_process_that_begins_a_run_and_ends_does_not_wait(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goatherd.session.LAST_WORDS", 60.0)
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        return number + 1

    async with asyncio.timeout(20):
        for number in range(5):
            async with app:
                await ups.start(number)
