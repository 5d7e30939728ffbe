"""What clients and makers of events do while somebody measures the server."""

import asyncio
import os
import random
import time
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pipes import say, told
from benchmarks.sse.clients import MOMENT, Client, Counting, Crowd, Timing, request
from benchmarks.sse.contender import Feed, Gateway

#: The text of an event that is only counted: as long as a few words.
WORDS = "the goats are on the hill again "
#: The most that a stalled client's own kernel takes for it.
SMALL_BUFFER = 4096


@dataclass(frozen=True, kw_only=True)
class Place:
    """A running server."""

    gateway: Gateway
    room: Path
    port: int

    def feeding(self) -> AbstractAsyncContextManager[Feed]:
        """Open a way to make events."""
        return self.gateway.feeding(self.room, self.port)

    def request(self, job: str, after: str = "") -> bytes:
        """What a client of a job asks with."""
        return request(self.gateway.path(job), after)


def job_named(number: int) -> str:
    """The id of a job that clients and makers of events both know."""
    return f"job{number:06d}"


async def fan_out(place: Place, clients: int, milliseconds: int) -> None:
    """One job, many clients: the next event is made when everybody has the one before."""
    async with place.feeding() as feed:
        await feed.begin(job_named(0))
        crowd: Crowd[Counting] = Crowd(place.port, Counting)
        await crowd.join([place.request(job_named(0))] * clients)
        for _ in range(5):
            await _one_for_all(crowd, feed)
        say({})
        await told()
        began, events = time.monotonic(), 0
        while time.monotonic() - began < milliseconds / 1000:
            await _one_for_all(crowd, feed)
            events += 1
        say({"delivered": events * clients, "seconds": time.monotonic() - began})
        crowd.leave()


async def _one_for_all(crowd: Crowd[Counting], feed: Feed) -> None:
    crowd.expect(len(crowd.clients))
    await feed.say(job_named(0), WORDS)
    await crowd.complete()


async def hold(place: Place, first: int, more: int, jobs: int) -> None:
    """Some idle clients, then many more of them, spread over so many jobs."""
    async with place.feeding() as feed:
        for number in range(jobs):
            await feed.begin(job_named(number))
        crowd: Crowd[Client] = Crowd(place.port, Client)
        for number in (first, more):
            begun = len(crowd.clients)
            await crowd.join(place.request(job_named(each % jobs)) for each in range(begun, begun + number))
            say({})
            await told()
        crowd.leave()


async def feed(place: Place, jobs: int, a_second: int, milliseconds: int, length: int) -> None:
    """Make jobs; then, at the word, events that say when they were made, at random jobs, at a steady rate.

    At the word `anew` a new attempt begins, so that the text so far is void.
    """
    async with place.feeding() as feed:
        names = [job_named(number) for number in range(jobs)]
        for name in names:
            await feed.begin(name)
        say({})
        while word := await told():
            if word == "anew":
                await asyncio.gather(*map(feed.begin, names))
                say({})
                continue
            begin, count = time.monotonic(), a_second * milliseconds // 1000
            for number in range(count):
                await asyncio.sleep(begin + number / a_second - time.monotonic())
                await feed.say(random.choice(names), _moments(length))
            say({"events": count})


def _moments(length: int) -> str:
    """The moment, again and again up to that length."""
    return f"{time.monotonic_ns():0{MOMENT}d}" * max(1, length // MOMENT)


async def listen(place: Place, jobs: int, each: int) -> None:
    """So many clients for each job; whenever asked, the time that every event took since the last answer.

    At the word `stall` some more come, who read nothing; at `hasten` they are sent away.
    """
    crowd: Crowd[Timing] = Crowd(place.port, Timing)
    await crowd.join(place.request(job_named(number % jobs)) for number in range(jobs * each))
    stalled: Crowd[Client] = Crowd(place.port, Client)
    say({})
    while word := await told():
        name, _, number = word.partition(" ")
        if name == "stall":
            for client in await stalled.join([place.request(job_named(0))] * int(number)):
                client.transport.pause_reading()
        elif name == "hasten":
            stalled.leave()
            stalled = Crowd(place.port, Client)
        say({"took": [one for client in crowd.clients for one in client.took], "pid": os.getpid()})
        for client in crowd.clients:
            client.took.clear()
    crowd.leave()
