"""The scenes of what happens by itself: by the clock, when enough has come together, and because data wants it."""

from itertools import pairwise

from goatherd.cli.demo.shop import app, serve, take_stock, tips
from goatherd.cli.demo.stage import Stage

GUESTS = 40


async def by_the_clock(stage: Stage) -> None:
    """A schedule that is set while everything runs fires once for each tick, over all processes."""
    stage.open_scene("Schedule", 'await app.schedules.set("stocktaking", take_stock.job(), every=0.5)')
    await app.schedules.set("stocktaking", take_stock.job(), every=0.5)
    await stage.until("three ticks", lambda: len(stage.notes("stock")) >= 3)
    await app.schedules.remove("stocktaking")
    ticks = stage.notes("stock")
    gaps = [later["at"] - earlier["at"] for earlier, later in pairwise(ticks)]
    each_once = len({note["job"] for note in ticks}) == len(ticks)
    await stage.check("every tick fires once", each_once, f"{len(ticks)} ticks, {min(gaps):.2f} s apart at least")


async def tally(stage: Stage) -> None:
    """Many small amounts become one job for each key, and none is lost."""
    stage.open_scene(
        "Tally", 'await tips.add("ada", 5)\n\n@tips.flush(every=1)\nasync def pay_out(waiter: str, total: int): ...'
    )
    for guest in range(GUESTS):
        await tips.add("ada" if guest % 2 else "bob", 5)
    half = GUESTS // 2 * 5
    await stage.until("the tips", lambda: _paid(stage, "ada") >= half and _paid(stage, "bob") >= half)
    jobs = len(stage.notes("waiter"))
    right = _paid(stage, "ada") == _paid(stage, "bob") == half
    await stage.check("all tips were paid out, each once", right, f"{GUESTS} tips in {jobs} jobs")


def _paid(stage: Stage, waiter: str) -> int:
    return sum(int(note["total"]) for note in stage.notes("waiter") if note["waiter"] == waiter)


async def listeners(stage: Stage) -> None:
    """Queues come and go with your data, and a worker listens to each."""
    stage.open_scene(
        "Listeners", '@app.listeners("table-{}", tables, every=0.5)\nasync def serve(table: str, dish: str): ...'
    )
    stage.put("tables", "window corner")
    await stage.say("Guests sit down at two tables; nothing is deployed, and nothing starts anew.")
    for table in ("window", "corner"):
        await serve.send(table, "soup")
    await stage.until("two soups", lambda: {note["table"] for note in stage.notes("table")} == {"window", "corner"})
    served = [f"{note['dish']} at {note['table']}" for note in stage.notes("table")]
    await stage.check("each table is served from a queue of its own", len(served) == 2, ", ".join(served))
