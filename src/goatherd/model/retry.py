"""When a failed attempt is tried again: a rule, and its answer for one failure."""

import logging
import math
import random
from collections.abc import Callable
from typing import TypeAlias

from goatherd.errors import GiveUp

Errors: TypeAlias = type[Exception] | tuple[type[Exception], ...]

log = logging.getLogger("goatherd.retry")


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
            if not least <= value < math.inf:
                raise ValueError(f"Retry({name}={value!r}) is not a number from {least} up")
        if not 0 <= jitter <= 1:
            raise ValueError(f"Retry(jitter={jitter!r}) is not a share between 0 and 1")
        if not (callable(on) or _are_errors(on)):
            raise TypeError(f"Retry(on={on!r}) is neither an error type, a tuple of them, nor a test of an error")
        if not _are_errors(give_up_on):
            raise TypeError(f"Retry(give_up_on={give_up_on!r}) is neither an error type nor a tuple of them")
        self.retries = retries
        self.base = float(base)
        self.factor = float(factor)
        self.max = float(max)
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
        try:
            return bool(self.on(error))
        except Exception:
            # A test that fails has said nothing, and the retries are counted: better one too many than a job lost.
            log.exception("The test on=%r of %r failed; the error it was asked about is tried again", self.on, self)
            return True

    def delay(
        self, failures: int, chance: Callable[[], float] = random.random, *, retries: int | None = None
    ) -> float | None:
        """Seconds to wait after so many failed attempts, or None when they, or `retries` instead, are used up."""
        if failures > (self.retries if retries is None else retries):
            return None
        try:
            wait = min(self.max, self.base * self.factor ** (failures - 1))
        except OverflowError:
            wait = self.max if self.base else 0.0
        return wait * (1 + self.jitter * (2 * chance() - 1))


def _are_errors(kinds: object) -> bool:
    return all(isinstance(kind, type) for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
