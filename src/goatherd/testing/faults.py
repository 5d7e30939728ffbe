"""What a test wants to go wrong."""

from collections import Counter
from collections.abc import Hashable
from typing import Literal, TypeAlias

Moment: TypeAlias = Literal["start", "end"]


class Planned:
    """Things that are to happen so many times."""

    def __init__(self) -> None:
        self._left: Counter[Hashable] = Counter()

    def add(self, what: Hashable, times: int) -> None:
        """Let it happen so many times more; raises ValueError."""
        if times < 1:
            raise ValueError(f"times={times!r} would never happen; give 1 or more.")
        self._left[what] += times

    def take(self, what: Hashable) -> bool:
        """Whether it happens now; each time is used up."""
        if not self._left[what]:
            return False
        self._left[what] -= 1
        return True


class Faults:
    """Planned faults by task."""

    def __init__(self) -> None:
        self._crashes = Planned()
        self._duplicates = Planned()
        self._losses = Planned()

    def plan_crash(self, task: str, at: Moment, times: int) -> None:
        """The next attempts of a task kill their worker."""
        if at not in ("start", "end"):
            raise ValueError(f"at={at!r} is neither 'start' (before the task's code) nor 'end' (after it).")
        self._crashes.add((task, at), times)

    def plan_duplicate(self, task: str, times: int) -> None:
        """The next jobs of a task come once more."""
        self._duplicates.add(task, times)

    def plan_loss(self, task: str, times: int) -> None:
        """The next attempts of a task lose their lane."""
        self._losses.add(task, times)

    def crashes(self, task: str, at: Moment) -> bool:
        """Whether this attempt kills its worker now."""
        return self._crashes.take((task, at))

    def comes_again(self, task: str) -> bool:
        """Whether this job, which was just acked, is delivered once more."""
        return self._duplicates.take(task)

    def loses_lease(self, task: str) -> bool:
        """Whether this attempt loses its lane as its code begins."""
        return self._losses.take(task)
