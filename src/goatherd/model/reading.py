"""What a reader of a job's log gets: the events that follow, or what stands for them."""

from collections.abc import Sequence

import msgspec

from goatherd.model.event import Entry, Position
from goatherd.model.job_state import JobState


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Which positions of a job can still be read from."""

    epoch: str
    #: Of the first event that is kept, and of the last one ever; one more than the last if none is kept.
    first: int
    top: int
    #: The epoch under which the log was known before, up to this position; empty if there was none.
    former_epoch: str = ""
    former_top: int = 0

    def follows(self, after: Position) -> bool:
        """Whether every event after a position is kept."""
        if not self.first - 1 <= after.seq <= self.top:
            return False
        if after.epoch == self.former_epoch and after.epoch:
            # What the store may have forgotten came after it: up to here both epochs are one history.
            return after.seq <= self.former_top
        return after.epoch == self.epoch or after.seq == 0


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A job as of one moment."""

    state: JobState
    #: Whether the entries follow directly on the position that was asked for.
    resumed: bool
    entries: Sequence[Entry] = ()
    #: The whole text; None when the entries follow, for then nobody needs it.
    text: str | None = None

    @property
    def top(self) -> Position:
        """Of the last event; the position of the state and the text."""
        return self.state.position

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be read."""
        return not self.resumed or not self.entries or self.entries[-1].position.seq == self.state.seq
