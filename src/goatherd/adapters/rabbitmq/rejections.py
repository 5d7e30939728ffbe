"""Why the broker did not take messages: what became of each, and how it is told."""

import re

from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed
from goatherd.adapters.rabbitmq.names import way_in_words
from goatherd.adapters.rabbitmq.parcels import Batch, Outcome, Outgoing
from goatherd.errors import Refused, Unavailable
from goatherd.ports.broker import NoQueue

#: What the broker names when it closes the channel because of a message.
_EXCHANGE = re.compile(r"exchange '([^']*)'")
_SIZE = re.compile(r"message size (\d+)")


def outcome_after(error: LinkFailed, message: Outgoing) -> Outcome:
    """What became of a message that was on its way when its channel failed."""
    if not isinstance(error, ChannelClosed) or not _died_of(error, message):
        return Outcome.UNKNOWN
    return Outcome.NO_EXCHANGE if error.code == 404 else Outcome.FORBIDDEN


def raise_if_final(batch: Batch, *, full: bool) -> None:
    """Raise Unavailable for what the broker does not allow and, if its queue counts as full, Refused."""
    final = (Outcome.FORBIDDEN, Outcome.REFUSED) if full else (Outcome.FORBIDDEN,)
    ended = next(((m, o) for m, o in zip(batch.messages, batch.outcomes, strict=True) if o in final), None)
    if ended is None:
        return
    message, outcome = ended
    jobs = [each.id for each in batch.not_taken]
    if outcome is Outcome.REFUSED:
        raise Refused(
            f"The queue {_place(message)!r} holds as many jobs as it may, so {len(jobs)} job(s) were not accepted. "
            f"Start more workers, or try again later.",
            limit="max_length",
            jobs=jobs,
        )
    raise Unavailable(
        f"The broker did not take {len(jobs)} job(s) for {_place(message)!r}: {batch.why}. Check what the user of "
        f"GOATHERD_BROKER_URL may write to, and how large a message may be.",
        jobs=jobs,
    )


def no_queue(batch: Batch, message: Outgoing, outcome: Outcome) -> NoQueue:
    """What to raise because of a message for which there is no queue or no exchange, now and soon."""
    jobs = [each.id for each in batch.not_taken]
    if outcome is Outcome.NO_EXCHANGE:
        return NoQueue(
            f"There is no exchange {message.exchange!r} on the broker, so {len(jobs)} job(s) were not accepted. A "
            f"worker or an app that knows it makes it when it starts; `goatherd topology plan` shows what is missing.",
            jobs=jobs,
        )
    return NoQueue(
        f"There is no queue {_place(message)!r} on the broker, so {len(jobs)} job(s) were not accepted. A worker or an "
        f"app that knows the queue makes it when it starts; check the name with `goatherd queues list`.",
        jobs=jobs,
    )


def _place(message: Outgoing) -> str:
    return way_in_words(message.exchange, message.routing_key)


def _died_of(error: ChannelClosed, message: Outgoing) -> bool:
    """Whether a channel may have died of this message; the others were only on it."""
    exchange, size = _EXCHANGE.search(error.text), _SIZE.search(error.text)
    if exchange is not None:
        return exchange[1] == (message.exchange or "amq.default")
    return size is None or int(size[1]) == len(message.body)
