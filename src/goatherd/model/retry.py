"""When a failed attempt is tried again: a rule, and its answer for one failure."""

import random
from collections.abc import Callable
from typing import TypeAlias

from goatherd.errors import GiveUp

Errors: TypeAlias = type[Exception] | tuple[type[Exception], ...]


class Retry:
    """When a failed attempt is tried again; `Retry(3)` is three retries, so four attempts.

    The waits are `base`, `base * factor`, `base * factor**2` … seconds, never above `max`, each varied
    by ± `jitter` (a share of it). `on` names the errors that pass with time (types, or a test of the error);
    those in `give_up_on` never do and win over `on`.
    """

    __slots__ = ("_hopeless", "base", "factor", "give_up_on", "jitter", "max", "on", "retries")

    def __init__(  # noqa: PLR0913 - the rule's own parameters, all optional and named
        self,
        retries: int = 3,
        *,
        base: float = 1.0,
        factor: float = 2.0,
        max: float = 30.0,
        jitter: float = 0.25,
        on: Errors | Callable[[Exception], bool] = Exception,
        give_up_on: Errors = (),
    ) -> None:
        for name, value, least in (("retries", retries, 0), ("base", base, 0), ("factor", factor, 1), ("max", max, 0)):
            if value < least:
                raise ValueError(f"Retry({name}={value!r}) is below {least}")
        if not 0 <= jitter <= 1:
            raise ValueError(f"Retry(jitter={jitter!r}) is not a share between 0 and 1")
        self.retries = retries
        self.base = base
        self.factor = factor
        self.max = max
        self.jitter = jitter
        self.on = on
        self.give_up_on = give_up_on
        self._hopeless: tuple[type[Exception], ...] = (
            GiveUp,
            *(give_up_on if isinstance(give_up_on, tuple) else (give_up_on,)),
        )

    def __repr__(self) -> str:
        return f"Retry({self.retries}, base={self.base:g}, factor={self.factor:g}, max={self.max:g})"

    def passes(self, error: Exception) -> bool:
        """Whether this kind of error may be gone at the next attempt."""
        if isinstance(error, self._hopeless):
            return False
        if isinstance(self.on, type | tuple):
            return isinstance(error, self.on)
        return bool(self.on(error))

    def delay(self, failures: int, chance: Callable[[], float] = random.random) -> float | None:
        """Seconds to wait after so many failed attempts, or None when they are used up."""
        if failures > self.retries:
            return None
        # The exponent is bounded because a large one overflows long before `max` cuts it.
        wait = min(self.max, self.base * self.factor ** min(failures - 1, 64))
        return wait * (1 + self.jitter * (2 * chance() - 1))
