"""Events without a stream, for networks that hold streams back: ask, wait a while, get what came."""

import asyncio
from typing import Any

import msgspec

from goatherd.engine.ring import Batch
from goatherd.model.reading import Reading
from goatherd.reporting import StreamCounts
from goatherd.web.asgi import Request
from goatherd.web.beginning import Beginning
from goatherd.web.frame import Format, Frame
from goatherd.web.metrics import GatewayMetrics
from goatherd.web.responses import PRIVATE, Refusal, Response

JSON = b"application/json; charset=utf-8"


def wait_in(request: Request, most: float) -> float | None:
    """How long a client would wait for an answer; None if it wants a stream; raises Refusal."""
    told = request.query.get("wait")
    if told is None:
        return None
    try:
        seconds = float(told)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise Refusal(400, "wait is the number of seconds that you would wait for events, such as 25.")
    return min(seconds, most)


async def poll(
    beginning: Beginning, format: Format, wait: float, now: float, metrics: GatewayMetrics, counts: StreamCounts
) -> Response:
    """Answer as soon as there is anything, or when the time is over."""
    follower = beginning.follower
    frames = list(beginning.frames)
    told = follower.ready()
    if told is None and not frames and not follower.ended:
        try:
            async with asyncio.timeout(wait):
                told = await follower.next()  # type: ignore[assignment]  # what is empty is as good as nothing
        except TimeoutError:
            told = None
    if isinstance(told, Batch):
        metrics.distributed += len(told)
        counts.events += len(told)
    if told:
        frames += format.snapshot(told, now) if isinstance(told, Reading) else format.entries(told)
    answer = {"events": [frame.json for frame in frames], "id": str(follower.position), "closed": follower.ended}
    return answered(answer)


def closed(frames: list[Frame], position: str) -> Response:
    """Of a job that is over and whose events are gone."""
    return answered({"events": [frame.json for frame in frames], "id": position, "closed": True})


def answered(answer: dict[str, Any]) -> Response:
    """A response with JSON."""
    return Response(status=200, body=msgspec.json.encode(answer), type=JSON, headers=[*PRIVATE])
