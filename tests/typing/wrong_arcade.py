"""What type checkers must reject of what begins by itself; each line with `# E`."""

from goatherd import Context, Goatherd
from goatherd.testing import testing

app = Goatherd("arcade")


@app.every(5)  # E
async def needs_argument(x: int) -> None: ...


@app.cron("0 0 2 * * *")  # E
def needs_more(ctx: Context, x: int) -> None: ...


@app.every("5")  # E
async def text_for_seconds() -> None: ...


@app.every(5, overlap="maybe")  # E
async def odd_overlap() -> None: ...


@app.cron("0 0 2 * * *", misfire="twice")  # E
async def odd_misfire() -> None: ...


@app.cron("0 0 2 * * *", timezone="Asia/Tokyo")  # E
async def typo() -> None: ...


@app.every(60)
async def beat() -> None: ...


async def wanted() -> list[int]:
    return [1]


def blocking() -> list[int]:
    return [1]


@app.listeners("q-{}", wanted)  # E
async def listens_to_text(name: str, body: dict[str, str]) -> None: ...


@app.listeners("q-{}", blocking)  # E
async def asks_in_vain(name: int) -> None: ...


@app.listeners("q-{}", wanted, format="taskiq")  # E
async def odd_format(name: int) -> None: ...


@app.listeners("q-{}", wanted)
async def listens(name: int, body: str) -> None: ...


commands = app.inbox("redis://localhost/0?list=commands", route="type")
app.inbox("redis://localhost/0?list=others", rout="type")  # E


@commands.on("start", queue="x")  # E
async def elsewhere(user_id: int) -> None: ...


@commands.on("yell")
async def yell(points: int) -> None: ...


async def play() -> None:
    await beat.send(1)  # E
    await listens.send("seven", "body")  # E
    await listens.send(7)  # E
    await listens.send(7, body=5)  # E
    await yell.send("three")  # E
    await app.schedules.set("morning", yell, every=5)  # E
    await app.schedules.set("morning", yell.job("three"), every=5)  # E
    await app.schedules.pause(beat)  # E


async def fake_listener(name: str, body: str) -> None: ...


async def test_them() -> None:
    async with testing(app) as t:
        await t.command(yell, {"points": 1})  # E
        await t.command(commands, "yell")  # E
        await t.command(commands, {"points": 1}, id="k1")  # E
        t.fake(listens, fake_listener)  # E
        t.crash(commands)  # E
