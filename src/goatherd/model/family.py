"""One task for many queues: how a name becomes a queue, and a queue's name that of the data behind it."""

from dataclasses import dataclass

from goatherd.errors import DefinitionError
from goatherd.model.signature import Signature
from goatherd.model.topology import check_queue_name

#: Stands for the name.
GAP = "{}"


@dataclass(frozen=True, kw_only=True)
class NamePattern:
    """The name of a queue with a gap for what tells it from its sisters."""

    text: str
    #: What fills the gap.
    kind: type[str] | type[int] = str

    def __post_init__(self) -> None:
        check_pattern(self.text)

    @property
    def literal(self) -> int:
        """How many characters are fixed: of two patterns that fit, the one with more of them is meant."""
        return len(self.text) - len(GAP)

    def queue_of(self, name: object) -> str:
        """The queue for a name; raises ValueError in words for people."""
        wanted = "a number" if self.kind is int else "text"
        if isinstance(name, bool) or not isinstance(name, self.kind):
            raise ValueError(f"{name!r} is no name for {self.text!r}, where {wanted} is expected")
        filled = f"{name:d}" if isinstance(name, int) else str.__str__(name)
        if not filled:
            raise ValueError(f"an empty text is no name for {self.text!r}")
        queue = self.text.replace(GAP, filled)
        try:
            check_queue_name(queue)
        except DefinitionError as error:
            raise ValueError(f"{name!r} is no name for {self.text!r}: {error}") from error
        return queue

    def name_in(self, queue: str) -> str | int | None:
        """The name that makes this queue; None if no name does."""
        before, _, after = self.text.partition(GAP)
        if len(queue) <= self.literal or not (queue.startswith(before) and queue.endswith(after)):
            return None
        filled = queue[len(before) : len(queue) - len(after)]
        if self.kind is str:
            return filled
        # "007" and "+7" are numbers, too, but not what 7 is written as.
        is_number = filled.removeprefix("-").isascii() and filled.removeprefix("-").isdigit()
        return int(filled) if is_number and str(int(filled)) == filled else None


@dataclass(frozen=True, kw_only=True)
class Family:
    """What the many queues of one task have in common."""

    pattern: NamePattern
    #: The task's arguments without the name, which the queue tells.
    rest: Signature


def check_pattern(text: str) -> None:
    """Raise DefinitionError unless there is one gap in it."""
    if text.count("{") != 1 or text.count("}") != 1 or GAP not in text:
        raise DefinitionError(
            f"The pattern {text!r} of app.listeners() needs one {GAP} for the name, and no other braces: 'match-{GAP}'."
        )
    check_queue_name(text)
