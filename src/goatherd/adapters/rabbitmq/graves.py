"""Dead letters as messages: the original bytes, with why they died in the headers."""

import hashlib
from collections.abc import Mapping
from typing import Any, cast, get_args

import msgspec

from goatherd.adapters.rabbitmq.messages import DUE, incoming
from goatherd.adapters.rabbitmq.properties import Properties, moment_of
from goatherd.model.dead_letter import Burial, Reason, StoredLetter
from goatherd.model.formats import failures_of
from goatherd.model.ids import new_id
from goatherd.model.message import Message, count_of

_LETTER = "gh-letter"
_QUEUE, _REASON, _TYPE, _TEXT = "gh-dead-queue", "gh-dead-reason", "gh-dead-error", "gh-dead-message"
_TRACE, _ATTEMPTS, _AT, _ACCEPTED = "gh-dead-traceback", "gh-dead-attempts", "gh-dead-at", "gh-dead-accepted"
_KEPT = "gh-dead-kept"
_OURS = frozenset((_LETTER, _KEPT, _QUEUE, _REASON, _TYPE, _TEXT, _TRACE, _ATTEMPTS, _AT, _ACCEPTED))

#: Characters of an error's message and traceback that are kept; headers should fit into one frame.
_LONGEST_TEXT, _LONGEST_TRACE = 4_000, 20_000

#: The broker's words for why it gave a message up, in ours.
_BROKERS_REASONS: dict[str, tuple[Reason, str]] = {
    "expired": ("expired", "its deadline or its queue's time to live passed"),
    "maxlen": ("rejected", "pushed out of a full queue"),
    "rejected": ("rejected", "a consumer rejected it"),
    "delivery_limit": ("crashed", "delivered so often that the broker gave it up"),
}


def letter_headers(burial: Burial, queue: str, accepted: float, letter: str = "") -> dict[str, Any]:
    """What is added to the headers of a message that we give up."""
    return {
        _LETTER: letter or new_id(),
        _QUEUE: queue,
        _REASON: burial.reason,
        _TYPE: burial.error_type,
        _TEXT: burial.message[:_LONGEST_TEXT],
        _TRACE: burial.traceback[-_LONGEST_TRACE:],
        _ATTEMPTS: burial.attempts,
        _AT: int(burial.failed_at * 1000),
        _ACCEPTED: int(accepted * 1000),
    }


def kept_headers(letter: StoredLetter) -> dict[str, Any]:
    """The same for a letter from elsewhere, which has its id and may come to us more than once."""
    return letter_headers(letter.burial, letter.original.queue, letter.accepted, letter.id) | {_KEPT: 1}


def expired(message: Message, now: float) -> Burial:
    """Why a message is given up that came too late to be delivered."""
    reason, text = _BROKERS_REASONS["expired"]
    attempts = failures_of(message.headers)
    return Burial(reason=reason, error_type="JobExpired", message=text, attempts=attempts, failed_at=now)


def queue_deleted(message: Message, now: float) -> Burial:
    """Why a message is given up that was to be tried again in a queue that is not there any more."""
    why, attempts = "its queue was deleted while it was worked on", failures_of(message.headers)
    return Burial(reason="rejected", error_type="QueueDeleted", message=why, attempts=attempts, failed_at=now)


def announcement(letter: str) -> bytes:
    """The body of an announcement: the queue gets a copy of each dead letter, of which only the id counts."""
    return msgspec.json.encode({"letter": letter})


def own_id(read: Properties) -> str | None:
    """The id of a letter that one of us wrote: what has the same, and the same bytes, is a copy of it."""
    told = read.headers.get(_LETTER)
    return str(told) if told else None


def was_kept(read: Properties) -> bool:
    """Whether it came from elsewhere, and there may be a copy of it."""
    return _KEPT in read.headers


def is_letter(read: Properties, routing_key: str, queue: str) -> bool:
    """Whether a message in a queue that is told of dead letters is the copy of one, and not word of one that came back.

    Word of a letter is a job of ours, which dies in no queue but those in which it waits to be tried again.
    """
    if _LETTER in read.headers:
        return True
    if ".hold.v1." in str(_death(read.headers).get("queue", "")):
        return routing_key.partition(".")[2] != queue
    return "x-death" in read.headers


def _letter_id(read: Properties, body: bytes) -> str:
    """The letter's id; one that the broker made has that of its message, or a fingerprint if it has none."""
    told = read.headers.get(_LETTER) or read.message_id or read.correlation_id
    if told:
        return str(told)
    seen = repr((body, read.type, read.timestamp, _death(read.headers).get("time")))
    return hashlib.blake2b(seen.encode(), digest_size=16).hexdigest()


def read_letter(read: Properties, body: bytes, routing_key: str, now: float) -> StoredLetter:
    """A message of the dead-letter queue, whoever put it there."""
    headers = read.headers
    message = incoming(str(headers.get(_QUEUE) or _origin(headers, routing_key)), read, body)
    kept = {name: value for name, value in message.headers.items() if name not in _OURS}
    accepted = headers.get(_ACCEPTED)
    return StoredLetter(
        id=_letter_id(read, body),
        # Whoever waited for it has given up; replayed, it is a job as any other, which may fail and be tried again.
        original=msgspec.structs.replace(message, headers=kept, expires=None, reply_to="", correlation_id=""),
        accepted=accepted / 1000 if isinstance(accepted, int) else float(read.timestamp) or now,
        burial=_burial(read, now),
    )


def _death(headers: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the broker noted when it gave the message up the last time."""
    deaths = headers.get("x-death")
    latest = deaths[0] if isinstance(deaths, list) and deaths else None
    return latest if isinstance(latest, dict) else {}


def _origin(headers: Mapping[str, Any], routing_key: str) -> str:
    """The queue that a message died in; a delayed one whose queue is gone died on the way to it."""
    if _lost_its_way(headers):
        return routing_key.partition(".")[2]
    return str(_death(headers).get("queue") or routing_key)


def _lost_its_way(headers: Mapping[str, Any]) -> bool:
    return DUE in headers and ".hold.v1." in str(_death(headers).get("queue", ""))


def _burial(read: Properties, now: float) -> Burial:
    headers = read.headers
    reason = headers.get(_REASON)
    if reason in get_args(Reason):
        at = headers.get(_AT)
        return Burial(
            reason=cast(Reason, reason),
            error_type=str(headers.get(_TYPE, "")),
            message=str(headers.get(_TEXT, "")),
            traceback=str(headers.get(_TRACE, "")),
            attempts=count_of(headers, _ATTEMPTS),
            failed_at=at / 1000 if isinstance(at, int) else now,
        )
    if _lost_its_way(headers):
        why = "its queue was deleted while it waited for its time"
        return Burial(reason="rejected", error_type="QueueDeleted", message=why, attempts=0, failed_at=now)
    death = _death(headers)
    told = str(death.get("reason", "rejected"))
    known, text = _BROKERS_REASONS.get(told, ("rejected", f"the broker gave it up: {told}"))
    return Burial(
        reason=known,
        error_type="JobExpired" if known == "expired" else "Rejected",
        message=text,
        attempts=failures_of(headers),
        failed_at=moment_of(death.get("time")) or now,
    )
