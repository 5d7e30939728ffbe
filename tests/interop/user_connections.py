"""The connections that users have, each with the task that they would write with it."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import psycopg

from goatherd import Context, Goatherd, Retry, sync

#: Says whether an attempt fails inside of its transaction, after the effect.
Fails = Callable[[str, int], bool]
INSERT = "INSERT INTO interop_comments (author, post_id, text) VALUES (%s, %s, %s)"


class Interrupted(Exception):
    """Raised inside of a transaction, which is rolled back."""


def _check(fails: Fails, text: str, attempt: int) -> None:
    if fails(text, attempt):
        raise Interrupted(text)


def with_async_psycopg(app: Goatherd, url: str, fails: Fails) -> Any:
    @app.task(key="post_id", retry=Retry(2, base=0.01))
    async def comment(ctx: Context, post_id: int, text: str) -> None:
        async with await psycopg.AsyncConnection.connect(url) as connection:
            await connection.execute(INSERT, (app.name, post_id, text))
            await ctx.commit_with(connection)
            _check(fails, text, ctx.attempt)

    return comment


def with_psycopg(app: Goatherd, url: str, fails: Fails) -> Any:
    @app.task(key="post_id", retry=Retry(2, base=0.01))
    def comment(ctx: sync.Context, post_id: int, text: str) -> None:
        with psycopg.connect(url) as connection:
            connection.execute(INSERT, (app.name, post_id, text))
            ctx.commit_with(connection)
            _check(fails, text, ctx.attempt)

    return comment


def with_sqlalchemy_session(app: Goatherd, url: str, fails: Fails) -> Any:
    from sqlalchemy import create_engine
    from sqlalchemy import text as sql
    from sqlalchemy.orm import Session

    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))

    @app.lifespan
    async def pool() -> AsyncIterator[None]:
        yield
        engine.dispose()

    @app.task(key="post_id", retry=Retry(2, base=0.01))
    def comment(ctx: sync.Context, post_id: int, text: str) -> None:
        with Session(engine) as session, session.begin():
            session.execute(sql(_named()), {"a": app.name, "p": post_id, "t": text})
            ctx.commit_with(session)
            _check(fails, text, ctx.attempt)

    return comment


def with_async_sqlalchemy(app: Goatherd, url: str, fails: Fails) -> Any:
    from sqlalchemy import text as sql
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"))

    @app.lifespan
    async def pool() -> AsyncIterator[None]:
        yield
        await engine.dispose()

    @app.task(key="post_id", retry=Retry(2, base=0.01))
    async def comment(ctx: Context, post_id: int, text: str) -> None:
        async with engine.begin() as connection:
            await connection.execute(sql(_named()), {"a": app.name, "p": post_id, "t": text})
            await ctx.commit_with(connection)
            _check(fails, text, ctx.attempt)

    return comment


def with_django(app: Goatherd, url: str, fails: Fails) -> Any:
    set_up_django(url)
    from django.db import connections, transaction

    @app.task(key="post_id", retry=Retry(2, base=0.01))
    def comment(ctx: sync.Context, post_id: int, text: str) -> None:
        connection = connections["default"]
        try:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute(INSERT, (app.name, post_id, text))
                ctx.commit_with(connection)
                _check(fails, text, ctx.attempt)
        finally:
            connection.close()

    return comment


def set_up_django(url: str) -> None:
    """Once in a process, with the database that all tests share."""
    import django
    from django.conf import settings

    told = psycopg.conninfo.conninfo_to_dict(url)
    if not settings.configured:
        settings.configure(DATABASES={"default": {
            "ENGINE": "django.db.backends.postgresql", "NAME": told.get("dbname"), "USER": told.get("user"),
            "PASSWORD": told.get("password", ""), "HOST": told.get("host"), "PORT": told.get("port"),
        }})  # fmt: skip
        django.setup()


def _named() -> str:
    return "INSERT INTO interop_comments (author, post_id, text) VALUES (:a, :p, :t)"


MAKERS = (with_async_psycopg, with_psycopg, with_sqlalchemy_session, with_async_sqlalchemy, with_django)
