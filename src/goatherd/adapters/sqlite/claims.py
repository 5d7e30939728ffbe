"""Take jobs for several queues in one transaction: those that wait, and none that another has."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import apsw

from goatherd.adapters.sqlite.held import Claim, Held
from goatherd.adapters.sqlite.queries import rows
from goatherd.adapters.sqlite.rows import headers_from_text
from goatherd.model.message import Delivery, Message

#: Queues up to which each is asked by itself; of more it is first found out in which anything waits.
FEW = 16


Takers: TypeAlias = Mapping[int, Sequence[Held]]


def claim(connection: apsw.Connection, worker: int, takers: Takers) -> list[tuple[Held, Sequence[Delivery]]]:
    """Jobs for the takers of each queue by its id, as many as they have room for; first priority, then age decides."""
    if len(takers) > FEW:
        waiting = [queue for (queue,) in rows(connection, "queues_with_jobs") if queue in takers]
    else:
        waiting = list(takers)
    claimed: list[tuple[Held, Sequence[Delivery]]] = []
    for held in (each for queue in waiting for each in takers[queue]):
        # What is settled meanwhile makes room for the next time.
        limit = held.prefetch - held.unsettled
        if limit <= 0:
            continue
        found = rows(connection, "claim", {"worker": worker, "queue": held.queue_id, "limit": limit})
        if found:
            found.sort(key=lambda row: (-row[3], row[0]))
            claimed.append((held, [_delivery(row, worker, held) for row in found]))
    return claimed


def _delivery(row: tuple[Any, ...], worker: int, held: Held) -> Delivery:
    seq, job_id, task, priority, body, headers, accepted, expires, deaths, reply_to, correlation_id = row
    message = Message(
        id=job_id, queue=held.queue, body=body, task=task, headers=headers_from_text(headers), priority=priority,
        expires=expires, reply_to=reply_to or "", correlation_id=correlation_id or "",
    )  # fmt: skip
    return Delivery(message=message, accepted=accepted, deaths=deaths, tag=Claim(seq, worker, held))
