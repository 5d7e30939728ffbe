"""Transactions as users have them, through their libraries: each sends jobs, and then commits or does not."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import psycopg

#: Sends jobs with the connection that it is given, and returns what the verbs returned.
Send: TypeAlias = Callable[[Any], Awaitable[Any]]
SendNow: TypeAlias = Callable[[Any], Any]


class RolledBack(Exception):
    """Raised inside of a transaction, so that it is not committed."""


def _decide(commit: bool) -> None:
    if not commit:
        raise RolledBack


async def async_psycopg(url: str, send: Send, commit: bool) -> Any:
    async with await psycopg.AsyncConnection.connect(url) as connection, connection.transaction():
        sent = await send(connection)
        _decide(commit)
    return sent


async def async_sqlalchemy(url: str, send: Send, commit: bool) -> Any:
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        async with engine.begin() as connection:
            sent = await send(connection)
            _decide(commit)
    finally:
        await engine.dispose()
    return sent


async def async_sqlalchemy_session(url: str, send: Send, commit: bool) -> Any:
    from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

    engine = create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        async with AsyncSession(engine) as session, session.begin():
            sent = await send(session)
            _decide(commit)
    finally:
        await engine.dispose()
    return sent


def plain_psycopg(url: str, send: SendNow, commit: bool) -> Any:
    with psycopg.connect(url) as connection, connection.transaction():
        sent = send(connection)
        _decide(commit)
    return sent


def plain_sqlalchemy(url: str, send: SendNow, commit: bool) -> Any:
    from sqlalchemy import create_engine

    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.begin() as connection:
            sent = send(connection)
            _decide(commit)
    finally:
        engine.dispose()
    return sent


def sqlalchemy_session(url: str, send: SendNow, commit: bool) -> Any:
    from sqlalchemy import create_engine
    from sqlalchemy.orm import Session

    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with Session(engine) as session, session.begin():
            sent = send(session)
            _decide(commit)
    finally:
        engine.dispose()
    return sent


def django(url: str, send: SendNow, commit: bool) -> Any:
    from tests.interop.user_connections import set_up_django

    set_up_django(url)
    from django.db import connection, transaction

    try:
        with transaction.atomic():
            sent = send(connection)
            _decide(commit)
    finally:
        connection.close()
    return sent


AWAITED = (async_psycopg, async_sqlalchemy, async_sqlalchemy_session)
PLAIN = (plain_psycopg, plain_sqlalchemy, sqlalchemy_session, django)
