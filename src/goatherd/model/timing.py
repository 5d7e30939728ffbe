"""When a schedule is due."""

import hashlib
import math
from functools import lru_cache
from typing import Protocol, assert_never, get_args

from goatherd.errors import DefinitionError
from goatherd.model.cron import parsed
from goatherd.model.cron_ticks import FixedTicks, FrequentTicks
from goatherd.model.rate_ticks import MICROSECONDS, NoTicks, RateTicks
from goatherd.model.schedule import Cron, Delay, Overlap, Rate, ScheduleRule, Timing
from goatherd.model.zone import zone_of

#: Of catching up: so many ticks at most.
MOST_CAUGHT_UP = 1000
_SHORTEST = 0.001
_LONGEST = 1e9


class Ticks(Protocol):
    """All ticks of a timing, past and to come."""

    def after(self, moment: float) -> float | None:
        """The first one later than this moment; None if there is none."""

    def upto(self, moment: float) -> float | None:
        """The last one at this moment or earlier; None if there is none."""

    def count(self, after: float, upto: float) -> int:
        """How many are later than the one moment, and at the other at the latest."""


@lru_cache(4096)
def ticks_of(timing: Timing) -> Ticks:
    """Its ticks; those of a delay depend on the ends of runs, so it has none. Raises DefinitionError.

    That may happen also to a rule that was checked: where it was, there were other time zones.
    """
    problem = timing_problem(timing)
    if problem is not None:
        raise DefinitionError(f"A schedule cannot be followed here: {problem}")
    match timing:
        case Cron():
            expression, zone = parsed(timing.expression), zone_of(timing.tz)
            if expression is None:
                return NoTicks()
            return FixedTicks(expression, zone) if expression.fixed else FrequentTicks(expression, zone)
        case Rate():
            return RateTicks(timing.seconds)
        case Delay():
            return NoTicks()
        case _:
            assert_never(timing)


def next_tick(rule: ScheduleRule, after: float) -> float | None:
    """The first tick later than `after`; None for a delay, and for a cron expression that never comes."""
    return ticks_of(rule.timing).after(after)


def jitter_of(name: str, rule: ScheduleRule, tick: float) -> float:
    """How much later than its tick it is due: less than `rule.jitter`, and before the next tick.

    The same in every process, and spread evenly over names and ticks.
    """
    if rule.jitter <= 0:
        return 0.0
    following = next_tick(rule, tick)
    span = rule.jitter if following is None else min(rule.jitter, following - tick)
    seed = f"{name}\0{round(tick * MICROSECONDS)}".encode(errors="surrogatepass")
    share = int.from_bytes(hashlib.blake2b(seed, digest_size=6).digest()) / 2**48
    return math.floor(share * span * MICROSECONDS) / MICROSECONDS


def described(rule: ScheduleRule) -> str:
    """The timing in words for people."""
    match rule.timing:
        case Cron(expression, tz):
            return f"{expression} {tz}" if parsed(expression) is not None else "never"
        case Rate(seconds):
            return f"every {_number(seconds)} s"
        case Delay(seconds):
            return f"{_number(seconds)} s after the end"
        case _:
            assert_never(rule.timing)


def check_rule(name: str, rule: ScheduleRule) -> None:
    """Raise DefinitionError for a rule that cannot be followed."""
    problem = timing_problem(rule.timing) or _option_problem(rule)
    if problem is not None:
        raise DefinitionError(f"The schedule {name!r}: {problem}")


def timing_problem(timing: Timing) -> str | None:
    """What is wrong with it, and what to do."""
    match timing:
        case Cron():
            return _cron_problem(timing)
        case Rate():
            if not _is_span(timing.seconds, _SHORTEST):
                return f"it cannot be due every {timing.seconds!r} s; give at least {_SHORTEST} seconds."
        case Delay():
            if not _is_span(timing.seconds, 0):
                return f"it cannot be due {timing.seconds!r} s after the end; give 0 or more seconds."
        case _:
            assert_never(timing)
    return None


def _cron_problem(timing: Cron) -> str | None:
    for what, value, read in (("expression", timing.expression, parsed), ("time zone", timing.tz, zone_of)):
        try:
            if not isinstance(value, str):
                raise TypeError("it is no text.")
            read(value)
        except (ValueError, TypeError) as error:
            return f"the {what} {value!r} cannot be used: {error}"
    return None


def _option_problem(rule: ScheduleRule) -> str | None:
    if rule.overlap not in get_args(Overlap):
        return f"overlap is {rule.overlap!r}; it must be one of {', '.join(map(repr, get_args(Overlap)))}."
    misfire = rule.misfire
    number = isinstance(misfire, int) and not isinstance(misfire, bool) and 1 <= misfire <= MOST_CAUGHT_UP
    if misfire not in {"once", "skip"} and not number:
        return (
            f"misfire is {misfire!r}; it must be 'once', 'skip', or how many ticks are made up for, "
            f"from 1 to {MOST_CAUGHT_UP}."
        )
    for option, span in (("jitter", rule.jitter), ("min_spacing", rule.min_spacing)):
        if not _is_span(span, 0):
            return f"{option} is {span!r}; give 0 or more seconds."
    return None


def _is_span(value: object, least: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= _LONGEST


def _number(seconds: float) -> str:
    return str(int(seconds)) if seconds == int(seconds) else repr(seconds)
