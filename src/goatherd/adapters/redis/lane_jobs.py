"""Jobs of lanes as Redis keeps them; what they look like is said in `lua/lane_store.lua`."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from goatherd.model.lane import Claim, LaneItem, LaneJob, OnExhausted, Placement

#: Redis counts in microseconds.
MICRO = 1_000_000

#: Digits of what the server writes before a job, and of the length of its head.
_STAMPS, _LENGTH = 32, 8
_HEAD = _STAMPS + _LENGTH

_LATER, _KNOWN, _FULL = Placement(answer="later"), Placement(answer="known"), Placement(answer="full")
_UNPLACED = {-1: _LATER, -2: _KNOWN, -3: _FULL}

_encode_head = msgspec.msgpack.Encoder().encode
_decode_head = msgspec.msgpack.Decoder(tuple[str, str, OnExhausted]).decode


def microseconds(seconds: float) -> int:
    """A time or a span as the scripts take it."""
    return round(seconds * MICRO)


def written(item: LaneItem) -> bytes:
    """A job as the sender writes it."""
    head = _encode_head((item.id, item.queue, item.on_exhausted))
    return b"%08d%b%b" % (len(head), head, item.content)


def terms_of(item: LaneItem, *, is_full: bool) -> str:
    """What must be looked at before it is put into its lane; nothing for most."""
    if item.limit is None and not item.delay and not item.named and not is_full:
        return ""
    limit = 0 if is_full else -1 if item.limit is None else max(0, item.limit)
    return f"{limit} {microseconds(max(0.0, item.delay))} {item.keep_place:d} {item.named:d}"


def placement(answer: int) -> Placement:
    """What became of a job."""
    return Placement(answer="placed", ahead=answer) if answer >= 0 else _UNPLACED[answer]


def claims_in(told: Sequence[Any], start: int) -> list[Claim]:
    """What `lane_exchange.lua` gives a worker."""
    return [_claim(*told[place : place + 4]) for place in range(start, len(told), 4)]


def _claim(lane: bytes, token: int, deaths: int, job: bytes) -> Claim:
    content = _HEAD + int(job[_STAMPS:_HEAD])
    job_id, queue, on_exhausted = _decode_head(job[_HEAD:content])
    return Claim(
        lane=lane.decode(),
        token=token,
        seq=int(job[16:_STAMPS]),
        id=job_id,
        queue=queue,
        content=job[content:],
        on_exhausted=on_exhausted,
        accepted=int(job[:16]) / MICRO,
        deaths=deaths,
    )


def jobs_in(told: Sequence[bytes]) -> Iterator[LaneJob]:
    """Jobs as they are kept, also those without their content."""
    for job in told:
        content = _HEAD + int(job[_STAMPS:_HEAD])
        job_id, queue, _ = _decode_head(job[_HEAD:content])
        yield LaneJob(
            seq=int(job[16:_STAMPS]),
            id=job_id,
            queue=queue,
            content=job[content:],
            accepted=int(job[:16]) / MICRO,
        )
