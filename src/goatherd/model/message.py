"""What a broker carries: bytes with a few properties, on the way out and on the way in."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

import msgspec

Header: TypeAlias = str | int | float
Headers: TypeAlias = Mapping[str, Header]

NO_HEADERS: Headers = MappingProxyType({})

#: How many attempts came before and failed; absent means none.
FAILURES = "gh-failures"
#: Times at which workers that did not know the task or its arguments first handed the job back.
REFUSED_SINCE = "gh-refused-since"
#: How many child processes died while they ran it; deaths of whole workers are told by the broker.
DEATHS = "gh-deaths"
#: How often the job was handed back for that reason.
REFUSALS = "gh-refusals"
#: Whose events tell about the job: what names of keys begin with where its sender looks for them.
TRACKED = "gh-tracked"

#: The full key of the lane that the job is in, and what becomes of that lane if the job is given up.
LANE, ON_EXHAUSTED = "gh-lane", "gh-on-exhausted"
#: The key of which the job is the only one until it has ended; whoever ends it lets go of the key.
UNIQUE = "gh-unique"
#: How often a failed attempt is tried again, where that travels with the job.
RETRIES = "gh-retries"

#: A count beyond it is a stranger's nonsense, which stores and arithmetic need not bear.
_MOST_COUNTED = 1_000_000


def count_of(headers: Headers, name: str, otherwise: float = 0) -> int:
    """A count that travels with a message; what is no count is none."""
    told = headers.get(name, otherwise) if headers else otherwise
    if not told:
        # As it is with most messages.
        return 0
    return int(min(told, _MOST_COUNTED)) if isinstance(told, int | float) and told >= 0 else 0


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One job on its way to a queue. Times are seconds since the epoch."""

    id: str
    queue: str
    body: bytes
    #: The task's name where the sender knows it, so that a broker can tell it without reading the body.
    task: str = ""
    headers: Headers = NO_HEADERS
    priority: int = 0
    #: Not delivered before; None means at once.
    due: float | None = None
    #: Nobody wants it afterwards; the broker makes it a dead letter instead of delivering it.
    expires: float | None = None
    #: The queue where somebody waits for the answer; then, once it has expired, it is dropped and not kept.
    reply_to: str = ""
    #: What an answer is known by; nothing means the message's own id.
    correlation_id: str = ""


class Delivery(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A message handed to a consumer, to be settled exactly once."""

    message: Message
    #: When the broker accepted it or, if that is later, when it fell due.
    accepted: float
    #: How many workers died while they ran it.
    deaths: int = 0
    #: The adapter's own handle.
    tag: object = None
