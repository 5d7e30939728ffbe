"""The names of what stands in for a queue or an exchange while it is replaced.

The stand-in is the journal of a replacement: as long as it is there, one was begun and is not finished. It is bound
like what it stands in for, so that all that is needed to go on is on the broker, for whoever goes on.
"""

_SUFFIX = ".swap.v1"
#: What all names of stand-ins look like.
PATTERN = r".*\.swap\.v1"


def stand_in_of(name: str) -> str:
    """The name of what stands in for a queue or an exchange."""
    return f"{name}{_SUFFIX}"


def pause_mark_of(queue: str) -> str:
    """The name of the empty queue that says that another one is paused."""
    return f"{queue}.paused.v1"
