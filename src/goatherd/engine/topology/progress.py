"""What somebody who applies a definition is told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from goatherd.model.difference import Change, Difference


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One step towards mending one difference."""

    change: Change
    name: str
    #: What is done now, in words.
    step: str
    #: Messages that were moved so far, where that is what is done.
    moved: int | None = None


#: Must not block and must not raise.
Tell: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class Voice:
    """Tells of the steps towards mending one difference."""

    change: Change
    name: str
    tell: Tell

    def say(self, step: str) -> None:
        """What is done now."""
        self.tell(Progress(change=self.change, name=self.name, step=step))

    def moving(self, step: str) -> Callable[[int], None]:
        """Counts messages while they are moved."""
        return lambda moved: self.tell(Progress(change=self.change, name=self.name, step=step, moved=moved))


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What became of all differences."""

    #: Mended.
    done: list[Difference] = field(default_factory=list)
    #: Not touched, because messages or their order could be lost.
    refused: list[Difference] = field(default_factory=list)
    #: What still differs at the end, the refused ones among them.
    left: list[Difference] = field(default_factory=list)
