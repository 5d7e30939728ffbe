"""The names of what stands in for a queue or an exchange while it is replaced.

The stand-in is the journal of a replacement: as long as it is there, one was begun and is not finished. It is bound
like what it stands in for, so that all that is needed to go on is on the broker, for whoever goes on.
"""

from collections.abc import Mapping

_SUFFIX = ".swap.v1"
#: What all names of stand-ins look like.
PATTERN = r".*\.swap\.v1"


def stand_in_of(name: str) -> str:
    """The name of what stands in for a queue or an exchange."""
    return f"{name}{_SUFFIX}"


def pause_mark_of(queue: str) -> str:
    """The name of the empty queue that says that another one is paused."""
    return f"{queue}.paused.v1"


def senders_mark_of(queue: str) -> str:
    """The name of the empty queue that says that nothing may be sent to another one by its name."""
    return pause_mark_of(f"{queue}.senders")


#: The arguments of a mark that an operator set, who takes it away.
OPERATORS_MARK: Mapping[str, str | int] = {"x-max-length": 0}
#: Those of a mark that goes with a replacement. Brokers compare only arguments that they know: the second, which says
#: what is so anyway, is how the two marks are told apart, and the third is for people.
REPLACEMENTS_MARK: Mapping[str, str | int] = {
    "x-max-length": 0,
    "x-overflow": "drop-head",
    "x-goatherd-paused-by": "topology",
}
