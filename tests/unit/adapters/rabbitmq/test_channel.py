"""What may still be written on a channel that is being closed."""

import asyncio
from typing import Any, cast

import pytest
from pamqp import commands, frame

from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.connection import Connection


class Line:
    """A connection that only notes what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.blocked = None

    def send(self, data: bytes) -> None:
        self.written.append(data)

    def forget(self, number: int) -> None:
        """Nothing is remembered here."""


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def channel(line: Line) -> Channel:
    return Channel(cast(Connection, line), 1)


def said(line: Line) -> list[type[Any]]:
    return [type(frame.unmarshal(each)[2]) for each in line.written]


async def test_what_comes_in_while_it_is_closed_is_answered_no_more(line: Line, channel: Channel) -> None:
    """On a number that the broker has forgotten, one more frame would end the connection for all who are on it."""
    closing = asyncio.create_task(channel.close())
    await asyncio.sleep(0)
    channel.send(b"an ack for a message that was on its way")
    channel.method(commands.Channel.CloseOk())
    await closing
    assert said(line) == [commands.Channel.Close]


async def test_one_that_the_broker_closed_is_written_to_no_more(line: Line, channel: Channel) -> None:
    channel.method(commands.Channel.Close(404, "NOT_FOUND - no queue 'mail'", 50, 10))
    channel.send(b"an ack for a message that was on its way")
    assert said(line) == [commands.Channel.CloseOk]


async def test_one_that_was_given_up_is_written_to_no_more(line: Line, channel: Channel) -> None:
    asking = asyncio.create_task(channel.ask(commands.Basic.Qos(0, 1)))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    channel.send(b"an ack for a message that was on its way")
    assert said(line) == [commands.Basic.Qos, commands.Channel.Close]
