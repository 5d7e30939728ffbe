"""Stories: pipelines in a test: they work when the herd does, and steps may be faked."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from goatherd import Context, DeadLetter, Goatherd, Retry
from goatherd.sync import Context as BlockingContext
from goatherd.testing import testing
from goatherd.testing.herd import StillMoving


@pytest.fixture
def app() -> Goatherd:
    return Goatherd("films", retry=Retry(0))


async def test_nothing_is_done_while_the_herd_rests(app: Goatherd) -> None:
    asked: list[int] = []
    films = app.pipeline("films", takes=int, gives=str)

    @films.step(after=films.input).when(lambda number: not asked.append(number))  # type: ignore[func-returns-value]
    async def show(number: int) -> str:
        return f"film {number}"

    @films.step(after=show)
    async def seen(shown: str | None) -> str:
        return str(shown)

    async with testing(app) as t:
        first = await films.start(1)
        await asyncio.sleep(0.3)
        assert (asked, await first.status()) == ([], "queued")
        await t.drain()
        assert (asked, await first.status()) == ([1], "done")
        second = await films.start(2)
        # Longer than those who look for steps that are ready wait between two looks.
        await asyncio.sleep(0.3)
        assert (asked, await second.status()) == ([1], "queued")
        await t.drain()
        assert await second.result(timeout=1) == "film 2"


async def test_steps_are_faked(app: Goatherd) -> None:
    films = app.pipeline("films", takes=int, gives=list[str])

    @films.step(after=films.input)
    def frames(ctx: BlockingContext, number: int) -> list[int]:
        raise AssertionError("not in a test")

    @films.map(over=frames, batch=2)
    async def painted(items: list[int]) -> list[str]:
        raise AssertionError("not in a test")

    async def three(number: int) -> list[int]:
        return [number] * 3

    async def plain(items: list[int]) -> list[str]:
        return [f"plain {item}" for item in items]

    async def bright(items: list[int]) -> list[str]:
        return [f"bright {item}" for item in items]

    async with testing(app) as t:
        t.fake(frames, three)
        t.fake(painted, plain)
        first = await films.start(7)
        await t.drain()
        assert await first.result(timeout=1) == ["plain 7", "plain 7", "plain 7"]
        t.fake(painted, bright)
        second = await films.start(8)
        await t.drain()
        assert await second.result(timeout=1) == ["bright 8", "bright 8", "bright 8"]


async def test_remote_steps_are_faked(app: Goatherd) -> None:
    films = app.pipeline("films", takes=int, gives=str)

    @films.step(after=films.input, queue="foreign.cut", remote=True)
    async def cut(number: int) -> int: ...  # type: ignore[empty-body]

    @films.step(after=cut)
    async def show(number: int) -> str:
        return f"film {number}"

    async def ours(number: int) -> int:
        return number + 1

    async with testing(app) as t:
        t.fake(cut, ours)
        t.crash(cut, at="end")
        run = await films.start(7)
        await t.drain()
        assert await run.result(timeout=1) == "film 8"


async def test_nobody_answers_for_a_remote_step(app: Goatherd) -> None:
    films = app.pipeline("films", takes=int, gives=int)

    @films.step(after=films.input, queue="foreign.cut", remote=True, timeout=100, retry=Retry(1))
    async def cut(number: int) -> int: ...  # type: ignore[empty-body]

    @films.step(after=cut)
    async def show(number: int) -> int:
        return number

    async with testing(app) as t:
        run = await films.start(7)
        await t.drain()
        assert await run.status() in ("queued", "running")
        await t.advance(250)
        assert await run.status() == "failed"
        assert [letter.error_type for letter in t.dead] == ["TimeoutError"]


async def test_a_herd_that_does_not_come_to_rest_says_which_runs_have_not_ended(app: Goatherd) -> None:
    films = app.pipeline("films", takes=int, gives=int)

    @films.step(after=films.input)
    async def show(number: int) -> int:
        await asyncio.Event().wait()
        return number

    async with testing(app) as t:
        await films.options(id="one").start(7)
        with pytest.raises(StillMoving, match=r"run one of films has not ended \(at show\)"):
            await t.drain(timeout=0.2)


async def test_tasks_pipelines_hooks_and_dead_letters_belong_together(app: Goatherd) -> None:
    diary: set[str] = set()
    films = app.pipeline("films", takes=int, gives=int)

    @films.step(after=films.input)
    async def show(number: int) -> int:
        if number > 1:
            raise ValueError("too long")
        await clean.send(number)
        return number

    @app.task
    async def clean(number: int) -> None:
        diary.add(f"cleaned {number}")

    @app.around
    async def wrapped(ctx: Context) -> AsyncIterator[None]:
        diary.add(f"around {ctx.run_id}")
        yield

    @app.on_dead_letter
    async def review(letter: DeadLetter) -> None:
        diary.add(f"told of {letter.task} in {letter.job_id}")

    async with testing(app) as t:
        await films.options(id="one").start(1)
        await t.drain()
        [job] = t.jobs(clean)
        assert job.state == "done"
        await films.options(id="two").start(2)
        await t.drain()
        assert [letter.task for letter in t.dead] == ["films.show"]
    assert diary > {"around one", f"around {job.id}", "cleaned 1", "around two", "told of films.show in two"}


async def test_only_steps_of_this_app_can_be_planned_for(app: Goatherd) -> None:
    films, others = app.pipeline("films", takes=int, gives=int), Goatherd("other").pipeline("p", takes=int, gives=int)

    @films.step(after=films.input)
    async def show(number: int) -> int:
        return number

    @others.step(after=others.input)
    async def hide(number: int) -> int:
        return number

    def plain(number: int) -> int:
        return number

    async with testing(app) as t:
        with pytest.raises(ValueError, match="Step 'hide' belongs to"):
            t.crash(hide)
        with pytest.raises(ValueError, match="is what runs are given, and no step that is done"):
            t.duplicate(films.input)
        with pytest.raises(TypeError, match="The fake of step 'show' is a plain function"):
            t.fake(show, plain)  # type: ignore[arg-type]  # it is wrong
