"""What a broker of a certain version can do, told from the properties with which it introduces itself."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from goatherd.adapters.rabbitmq.topology import DELIVERY_LIMIT

#: The oldest version that all of this is tested with.
OLDEST = (3, 10)

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")
_MEBIBYTE = 1024 * 1024


class Capabilities(NamedTuple):
    """For one broker; where its version is not known, what every version can do."""

    #: Empty if it is not known.
    version: tuple[int, ...]
    #: Priorities that a quorum queue tells apart; 1 means that it knows none.
    quorum_priorities: int
    #: Whether the time that a consumer may hold a message can be set for one queue.
    consumer_timeout_by_queue: bool
    #: Deliveries after which a quorum queue that says nothing else gives a message up; None means never.
    default_delivery_limit: int | None
    #: Bytes that a message may have, unless the broker is configured otherwise.
    largest_message: int
    #: Whether a publish can be confirmed; without it nothing can be promised.
    confirms: bool

    @property
    def supported(self) -> bool:
        """Whether it is new enough, as far as is known."""
        return not self.version or self.version >= OLDEST


def capabilities(server: Mapping[str, Any]) -> Capabilities:
    """Read the server properties of a connection."""
    version = _version(server)
    offered = server.get("capabilities")
    return Capabilities(
        version=version,
        quorum_priorities=_priorities(version),
        consumer_timeout_by_queue=version >= (3, 12),
        default_delivery_limit=20 if version >= (4, 0) else None,
        largest_message=16 * _MEBIBYTE if not version or version >= (4, 0) else 128 * _MEBIBYTE,
        confirms=bool(offered.get("publisher_confirms")) if isinstance(offered, Mapping) else False,
    )


def in_words(found: Capabilities) -> str:
    """For people, in one line."""
    priorities = "no priorities" if found.quorum_priorities == 1 else f"{found.quorum_priorities} priorities"
    limit = "none" if found.default_delivery_limit is None else str(found.default_delivery_limit)
    timeout = "for each queue" if found.consumer_timeout_by_queue else "for the whole broker"
    told = (
        f"quorum queues with {priorities}, delivery limit {DELIVERY_LIMIT} of our queues (default {limit}), "
        f"consumer time-out set {timeout}, messages up to {found.largest_message // _MEBIBYTE} MiB"
    )
    if found.supported:
        return told
    oldest = ".".join(map(str, OLDEST))
    return f"{told}; older than {oldest}, with which nothing is tested: upgrade the broker"


def _version(server: Mapping[str, Any]) -> tuple[int, ...]:
    found = _VERSION.match(str(server.get("version", "")))
    return tuple(int(part) for part in found.groups(default="0")) if found else ()


def _priorities(version: tuple[int, ...]) -> int:
    if version >= (4, 3):
        return 32
    return 2 if version >= (4, 0) else 1
