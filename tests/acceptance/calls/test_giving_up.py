"""A caller that gives up is not worked for."""

import asyncio

import pytest

from goatherd import CallTimeout, Goatherd, Unavailable


class Bench:
    """One worker that does one thing at a time, and notes what it does."""

    def __init__(self, broker_url: str) -> None:
        self.app = Goatherd("bench", broker_url=broker_url, concurrency=1)
        self.started: asyncio.Queue[str] = asyncio.Queue()
        self.stopped: asyncio.Queue[str] = asyncio.Queue()

        @self.app.task
        async def think(about: str) -> str:
            self.started.put_nowait(about)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.stopped.put_nowait(about)
                raise
            return about

        @self.app.task
        async def echo(text: str) -> str:
            self.started.put_nowait(text)
            return text

        self.think, self.echo = think, echo

    async def next(self, queue: "asyncio.Queue[str]") -> str:
        async with asyncio.timeout(20):
            return await queue.get()


@pytest.fixture
def bench(broker_url: str) -> Bench:
    return Bench(broker_url)


async def test_a_call_that_runs_is_cancelled_and_one_that_waits_is_not_started(bench: Bench) -> None:
    async with bench.app.serve("worker"):
        running = asyncio.create_task(bench.think.call("running"))
        assert await bench.next(bench.started) == "running"
        waiting = asyncio.create_task(bench.think.call("waiting"))
        while bench.app.session().calls.in_flight < 2:
            await asyncio.sleep(0)
        waiting.cancel()
        running.cancel()
        assert await bench.next(bench.stopped) == "running"
        assert await bench.echo.call("next") == "next"
        assert await bench.next(bench.started) == "next", "the one that waited was never begun"
    for call in (running, waiting):
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_the_time_limit_of_the_caller_s_own_code_cancels_the_call(bench: Bench) -> None:
    async with bench.app.serve("worker"):
        with pytest.raises(TimeoutError) as caught:
            async with asyncio.timeout(0.5):
                await bench.think.call("too long")
        assert not isinstance(caught.value, CallTimeout), "it was the caller's own time that was over"
        assert await bench.next(bench.stopped) == "too long"


async def test_a_call_ends_with_the_app(bench: Bench) -> None:
    async with bench.app:
        calling = asyncio.create_task(bench.think.call("for ever"))
        while not bench.app.session().calls.in_flight:
            await asyncio.sleep(0)
    with pytest.raises(Unavailable, match="closed before the answer came"):
        await calling
