"""Stories: those who watch a run are told how far it is, in order, and how it ended."""

from goatherd import Context, Goatherd
from goatherd.events import Done, Event, Failed, Progress, Queued
from goatherd.testing import testing


def shown(event: Event) -> object:
    match event:
        case Progress():
            return (event.stage, event.status, event.percent, dict(event.fields))
        case Done():
            return ("done", event.result)
        case Failed():
            return ("failed", event.reason, event.message)
    return type(event).__name__.lower()


async def test_a_run_is_told_from_its_beginning_to_its_end(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def numbers(number: int) -> list[int]:
        return list(range(number))

    @ups.map(over=numbers, concurrency=1)
    async def up(item: int) -> int:
        return item + 1

    @ups.step(after=up)
    async def total(ctx: Context, items: list[int]) -> int:
        await ctx.progress("adding", 50, items=len(items))
        return sum(items)

    async with testing(app) as t:
        run = await ups.start(3)
        await t.drain()
        events = [event async for event in run.events()]
    assert isinstance(events[0], Queued)
    # That a step has begun is told where it lasts.
    told = [shown(event) for event in events if not (isinstance(event, Progress) and event.status == "started")]
    assert told[1] == ("numbers", "done", 100.0, {"done": 1, "total": 1})
    of_map = [event for event in events if isinstance(event, Progress) and event.stage == "up"]
    done = [int(str(event.fields["done"])) for event in of_map]
    assert done == sorted(done)
    assert (of_map[-1].status, of_map[-1].percent, dict(of_map[-1].fields)) == ("done", 100.0, {"done": 3, "total": 3})
    assert told[-3:] == [
        ("adding", "running", 50.0, {"items": 3}),
        ("total", "done", 100.0, {"done": 1, "total": 1}),
        ("done", 6),
    ]


async def test_a_failed_run_says_which_step_failed_and_why(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        raise ValueError("seven")

    async with testing(app) as t:
        run = await ups.start(3)
        await t.drain()
        told = [shown(event) async for event in run.events()]
    assert told[0] == "queued"
    assert told[-1] == ("failed", "failed", "step up: seven")
