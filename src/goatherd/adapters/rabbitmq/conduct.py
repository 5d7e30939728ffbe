"""How a consumer has fared: what its standing is made of, and how long it waits before it is tried again."""

import random
import time

from goatherd.model.listener import QUARANTINE_AFTER, Condition, Standing

#: Seconds before a consumer that failed is started again: after the first failure, doubled up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
#: Seconds that a consumer must have run for what it did before to be forgotten.
STEADY = 30.0


class Conduct:
    """Of one consumer, from its first start to its end."""

    __slots__ = (
        "_bumps",
        "_condition",
        "_failures",
        "_has_run",
        "_missed",
        "_restarts",
        "_running_since",
        "_since",
        "_why",
    )

    def __init__(self) -> None:
        self._condition: Condition = "starting"
        self._since = time.time()
        self._running_since = 0.0
        self._has_run = False
        #: Whether it has ended or failed for a reason that concerned it, and not its whole connection.
        self._missed = False
        self._restarts = 0
        #: Failures of its own in a row, and ends in a row that others brought about.
        self._failures = 0
        self._bumps = 0
        self._why = ""

    @property
    def condition(self) -> Condition:
        """As of now."""
        return self._condition

    @property
    def has_run(self) -> bool:
        """Whether it ever did."""
        return self._has_run

    @property
    def bumps(self) -> int:
        """How often in a row it ended soon after it had started, without its own fault."""
        return self._bumps

    def standing(self, last_delivery: float | None) -> Standing:
        """What is told of it."""
        return Standing(
            condition=self._condition,
            since=self._since,
            restarts=self._restarts,
            failures=0 if self._condition == "running" else self._failures,
            why=self._why,
            last_delivery=last_delivery,
        )

    def runs(self) -> bool:
        """The broker has confirmed it; true if it had failed or ended before."""
        recovered, self._missed = self._missed, False
        if self._has_run:
            self._restarts += 1
        self._has_run = True
        self._running_since = time.monotonic()
        self._become("running")
        return recovered

    def ran_for(self) -> float:
        """Seconds since it began to run; 0 if it does not."""
        return time.monotonic() - self._running_since if self._condition == "running" else 0.0

    def fails(self, why: str) -> float:
        """It could not be started, or ended by its own fault; gives the seconds until it is tried again."""
        self._forgive()
        self._failures += 1
        self._missed = True
        self._why = why
        self._become("quarantined" if self._failures >= QUARANTINE_AFTER else "down")
        return _pause(self._failures)

    def ends(self, why: str, *, at_once: bool = False) -> float:
        """It was ended by the broker or by what happened to others; gives the seconds until it is started again.

        With `at_once` it need not wait, unless it had only just been started.
        """
        self._forgive()
        self._missed = True
        self._why = why
        self._become("down")
        self._bumps += 1
        return 0.0 if at_once and self._bumps == 1 else _pause(self._bumps)

    def waits(self, why: str) -> None:
        """It cannot be tried now, which is nobody's fault."""
        self._why = why
        if self._condition not in ("down", "quarantined"):
            self._become("down")

    def rests(self, condition: Condition) -> None:
        """As somebody wished."""
        self._become(condition)

    def begins(self) -> None:
        """It is to consume after a rest."""
        self._become("starting")

    def _forgive(self) -> None:
        if self.ran_for() >= STEADY:
            self._failures = self._bumps = 0

    def _become(self, condition: Condition) -> None:
        if condition != self._condition:
            self._condition = condition
            self._since = time.time()


def _pause(tries: int) -> float:
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(tries - 1, 16))
    return random.uniform(longest / 2, longest)
