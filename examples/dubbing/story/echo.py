"""Send a task's messages again, as a broker may: python -m examples.dubbing.story.echo TASK SEGMENTS TIMES

They are as another program would write them, by the contract: every step's, those that are done long since and those
whose turn has not come.
"""

import asyncio
import sys
from datetime import UTC, datetime
from uuid import uuid4

import msgspec

from examples.dubbing.contract import STEPS
from examples.dubbing.worker.service import dub
from goatherd.model.message import Message

#: Steps whose messages are about segments.
BY_ITEM = ("translate", "tts")


async def echo(task_id: str, segments: int, times: int) -> None:
    """Every message of the task, so many times."""
    async with dub.app as app:
        messages = [
            Message(id=str(uuid4()), queue=queue, body=_body(task_id, step, item))
            for _ in range(times)
            for step, queue in STEPS.items()
            for item in (range(segments) if step in BY_ITEM else [None])
        ]
        await app.session().ports.broker.publish(messages)
    print(f"sent {len(messages)} messages")


def _body(task_id: str, step: str, item: int | None) -> bytes:
    members = {
        "task_id": task_id,
        "step": step,
        "attempt": 1,
        "trace_id": task_id,
        "created_at": datetime.now(UTC).isoformat(),
        "payload": {},
    }
    return msgspec.json.encode(members if item is None else {**members, "item": item})


if __name__ == "__main__":
    asyncio.run(echo(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
