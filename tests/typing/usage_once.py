"""Jobs of users' transactions, and jobs of which there is to be one, as users write them."""

from datetime import timedelta
from typing import Any

import psycopg

from goatherd import Goatherd, Run
from goatherd.sync import blocking

app = Goatherd("shop", records_url="postgresql://localhost/shop")


@app.task
async def send_mail(to: str, subject: str) -> None: ...


@app.task(unique="until_done")
async def report(day: int) -> int:
    return day


@app.task(unique=timedelta(hours=1))
def thumbnail(path: str) -> str:
    return path


class Session:
    """As SQLAlchemy's."""

    def execute(self, statement: Any, parameters: Any = None) -> Any: ...


class Connection:
    """As Django's."""

    def cursor(self) -> Any: ...


async def order(connection: "psycopg.AsyncConnection[tuple[Any, ...]]") -> Run[int]:
    async with app, connection.transaction():
        given = send_mail.options(within=connection, delay=60)
        await given.send("a@b.c", "thank you")
        await app.send_many([given.job("a@b.c", "thank you"), send_mail.options(within=Session()).job("a", "b")])
        await send_mail.options(within=Connection()).send("a@b.c", "thank you")
        run: Run[int] = await report.options(within=connection).start(7)
        return run


async def once() -> str:
    await send_mail.options(id="welcome-7", unique=timedelta(hours=1)).send("a@b.c", "once")
    await report.options(unique="until_done").send(7)
    return await send_mail.options(unique=60.0).send("a@b.c", "once")


def from_a_thread(connection: "psycopg.Connection[tuple[Any, ...]]") -> str:
    with connection.transaction():
        blocking(report).options(within=connection, unique=60).start(7)
        blocking(app).send_many([thumbnail.options(within=connection).job("a.png")])
        return blocking(send_mail).options(within=connection).send("a@b.c", "thank you")
