"""Dead letters: each is kept with its origin for review, told on the queue `queue.dlq`, and raises an alert.

Goatherd keeps the letters themselves: `goatherd dead list | show | replay` look at them and put them back to work.
"""

import logging
import time

import msgspec

from examples.arcade.batch import alerts
from examples.arcade.herd import arcade, database, settings
from goatherd import DeadLetter, Retry

log = logging.getLogger("arcade.letters")
dlq = arcade.queue(settings.dlq, format="plain", type="classic")
told = alerts.chosen(settings)


class Notice(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is told of a dead letter; other programs may read it, too."""

    letter_id: str
    job_id: str
    origin: str
    task: str
    reason: str
    message: str


@arcade.on_dead_letter
async def keep(letter: DeadLetter) -> None:
    """Log it, keep it for review, and have somebody told; if this fails, it is tried again."""
    one = Notice(
        letter_id=letter.id, job_id=letter.job_id, origin=letter.queue, task=letter.task or "", reason=letter.reason,
        message=f"{letter.error_type}: {letter.message}",
    )  # fmt: skip
    log.error("Dead letter of %s: %s (%s, %s)", one.origin, one.message, one.reason, one.letter_id)
    async with database.transaction() as desk:
        await desk.do(
            "INSERT INTO letter (id, job_id, origin, task, reason, message, body, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO NOTHING",
            one.letter_id, one.job_id, one.origin, one.task, one.reason, one.message,
            letter.body.decode(errors="replace"), time.time(),
        )  # fmt: skip
    # An alert that cannot be told is a dead letter like others, but nobody is told of it the same way again.
    if letter.queue != settings.dlq:
        await tell.send(one)


@arcade.task(queue=dlq, retry=Retry(8, base=1, max=60, on=ConnectionError))
async def tell(one: Notice, /) -> None:
    """Raise the alert; somebody has seen to it then."""
    show = f"goatherd dead show examples.arcade.batch.service:arcade {one.letter_id}"
    await told.raise_alert(f"dead letter of {one.origin}", f"{one.reason}: {one.message}", show)
    async with database.transaction() as desk:
        await desk.do("UPDATE letter SET state = 'told' WHERE id = ? AND state = 'new'", one.letter_id)
