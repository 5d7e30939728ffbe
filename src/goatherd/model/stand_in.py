"""The names of what stands in for a queue or an exchange while it is replaced.

The stand-in is the journal of a replacement: as long as it is there, one was begun and is not finished. It is bound
like what it stands in for, so that all that is needed to go on is on the broker, for whoever goes on.
"""

from collections.abc import Mapping
from typing import Literal

#: Bytes that a name may have on the wire.
LONGEST_NAME = 255
_SUFFIX = ".swap.v1"


def stand_in_of(name: str) -> str:
    """The name of what stands in for a queue or an exchange."""
    return f"{name}{_SUFFIX}"


def original_of(name: str) -> str:
    """What something stands in for; itself if it stands in for nothing."""
    return name.removesuffix(_SUFFIX)


def pause_mark_of(queue: str) -> str:
    """The name of the empty queue that says that another one is paused."""
    return f"{queue}.paused.v1"


def senders_mark_of(queue: str) -> str:
    """The name of the empty queue that says that nothing may be sent to another one by its name."""
    return pause_mark_of(f"{queue}.senders")


def why_not_replaceable(kind: Literal["queue", "exchange"], name: str) -> str:
    """Why something of that name can have no stand-in; nothing if it can."""
    beside = (stand_in_of(name), *((senders_mark_of(name),) if kind == "queue" else ()))
    longest = max(len(each.encode()) for each in beside)
    if longest <= LONGEST_NAME:
        return ""
    return (
        f"its name leaves no room for that of a stand-in ({longest} bytes, of {LONGEST_NAME} that a broker allows), so "
        f"that it cannot be replaced from here; let it go when it is empty and unused, or use one with a shorter name"
    )


#: The arguments of a mark that an operator set, who takes it away.
OPERATORS_MARK: Mapping[str, str | int] = {"x-max-length": 0}
#: Those of a mark that goes with a replacement. Brokers compare only arguments that they know: the second, which says
#: what is so anyway, is how the two marks are told apart, and the last is for people. What such a mark lets go of goes
#: to a queue that is none: a policy that gives all queues an exchange for dead letters would else make a dead letter of
#: every question whether the mark is there.
REPLACEMENTS_MARK: Mapping[str, str | int] = {
    "x-max-length": 0,
    "x-overflow": "drop-head",
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": "goatherd.nowhere.v1",
    "x-goatherd-paused-by": "topology",
}
