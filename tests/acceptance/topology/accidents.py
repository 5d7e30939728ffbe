"""What TaskIQ makes of the chat's exchange and queue, and what it leaves behind: every difference, and no other."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

#: The change, the kind and name of what it is about, and each argument with what is wanted and what was found.
Told: TypeAlias = tuple[str, str, str, tuple[tuple[str, Any, Any], ...]]

_LASTING = (("durable", True, None), ("auto_delete", False, None))
_DEAD_LETTERS: list[Told] = [
    ("create", "exchange", "dlx", (("type", "direct", None), *_LASTING, ("internal", False, None))),
    ("create", "queue", "dlq.chat.process", (
        ("type", "classic", None), *_LASTING, ("arguments.x-message-ttl", 604_800_000, None),
    )),
    ("bind", "binding", "dlx → dlq.chat.process", (("key", "dlq.chat.process", None),)),
]  # fmt: skip

#: Of `taskiq-aio-pika==0.4.4`: what the contract says otherwise, and nobody noticed.
OLD: list[Told] = [
    ("replace exchange", "exchange", "chat_tasks", (("type", "direct", "topic"), ("durable", True, False))),
    ("replace queue", "queue", "chat.process", (
        ("durable", True, False),
        ("arguments.x-dead-letter-exchange", "dlx", ""),
        ("arguments.x-dead-letter-routing-key", "dlq.chat.process", "chat.process.dead_letter"),
        ("arguments.x-message-ttl", 3_600_000, None),
    )),
    ("bind", "binding", "chat_tasks → chat.process", (("key", "chat.process", None),)),
    ("unbind", "binding", "chat_tasks → chat.process", (("key", None, "#"),)),
    *_DEAD_LETTERS,
    ("orphan", "queue", "chat.process.delay", ()),
    ("orphan", "queue", "chat.process.dead_letter", ()),
]  # fmt: skip

#: Of TaskIQ as it is today: everything lasts, and the key is right, but the queue is of another type.
NEW: list[Told] = [
    ("replace exchange", "exchange", "chat_tasks", (("type", "direct", "topic"),)),
    ("replace queue", "queue", "chat.process", (
        ("type", "classic", "quorum"),
        ("arguments.x-dead-letter-exchange", "dlx", ""),
        ("arguments.x-dead-letter-routing-key", "dlq.chat.process", "taskiq.dead_letter"),
        ("arguments.x-message-ttl", 3_600_000, None),
    )),
    *_DEAD_LETTERS,
    ("orphan", "queue", "taskiq.dead_letter", ()),
]  # fmt: skip


def is_the_apps_own(difference: Mapping[str, Any]) -> bool:
    """Whether it is only that the chat never ran here: what has the chat's own name is missing, or a way to it."""
    ends = [difference["name"]]
    if difference["change"] == "bind":
        ends = [difference["binding"]["source"], difference["binding"]["destination"]]
    own = ("chat.dead.v1", "chat.due.v1", "chat.hold.v1", "chat.work.v1")
    return difference["change"] in ("create", "bind") and any(end.startswith(own) for end in ends)


def told(differences: Iterable[Mapping[str, Any]]) -> list[Told]:
    """Differences as they are written here, in a fixed order."""
    return sorted(
        (each["change"], each["kind"], each["name"], tuple(
            (detail["field"], detail["wanted"], detail["found"]) for detail in each["details"]
        ))
        for each in differences
    )  # fmt: skip
