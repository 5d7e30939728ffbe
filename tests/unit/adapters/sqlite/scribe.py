"""A process that writes a job's events: `scribe.py FILE JOB ATTEMPT COUNT` tells each position that it was given."""

import asyncio
import sys

from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites.event_store import Author
from goatherd.wiring import open_events


async def write(path: str, job: str, attempt: int, count: int) -> None:
    events = await open_events(Settings(broker_url=f"sqlite:///{path}", default_queue="q"), SystemClock())
    author = Author(events, job, attempt)
    outcomes = [await author.start()]
    outcomes += [await author.say(f"{attempt}.{number} ") for number in range(count)]
    await events.close()
    told = " ".join(str(outcome.position.seq) for outcome in outcomes if outcome.answer == "ok")
    print(told, flush=True)  # noqa: T201 - how it speaks to the test


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
