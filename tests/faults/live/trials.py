"""For each safeguard of the event path, the conditions under which nothing but that safeguard helps.

With it a run under these conditions is without fault, and without it clients see what they must never see.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from tests.faults.live.arena import Build
from tests.faults.live.client import Habit
from tests.faults.live.driver import Plan
from tests.faults.live.harm import lines_cut

#: Clients that never leave, so that coming back repairs nothing.
STAYING = (Habit(), Habit(start="earliest"))
#: Clients that come back all the time, and are shown how things stand.
RELOADING = (Habit(breaks_off=3, cursor="reload"),)
#: Seconds of silence that no job here is long enough for.
NEVER = 60.0
#: Seconds after which a client that is still waiting is taken to wait for ever.
PATIENCE = 5.0


#: A router has no part in these.
SMALL = Build(gateways=1, scribes=2, router=())


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One kind of run."""

    plan: Plan
    build: Build = SMALL


def _plan(**more: object) -> Plan:
    few = {"jobs": 8, "at_once": 8, "clients": 4, "length": (20, 40), "patience": PATIENCE, "habits": STAYING}
    none = {"failing": 0.0, "redelivered": 0.0, "latest": 0.0}
    return Plan(**{**few, **none, **more})  # type: ignore[arg-type]


DEAF = replace(SMALL, look_after=NEVER)

TRIALS: Mapping[str, Trial] = MappingProxyType(
    {
        # Messages get lost, but never the last one: the hole that it shows is all there is to notice.
        "gap repair": Trial(plan=_plan(lost=0.5, spare_ends=True), build=DEAF),
        # Most messages get lost, so for some clients the last one, after which nothing shows a hole.
        "look on silence": Trial(plan=_plan(lost=0.9)),
        "position check": Trial(plan=_plan(lost=0.2, doubled=0.2)),
        # Nothing gets lost, so only what is said between two steps of a client that arrives can be missed.
        "subscribe before read": Trial(
            plan=_plan(jobs=40, at_once=20, clients=1, length=(2, 5), latest=1.0), build=DEAF
        ),
        # Attempts are given away twice, and the first one goes on.
        "fencing": Trial(plan=_plan(redelivered=0.7)),
        # Attempts fail, and whoever comes in the next one is shown the text.
        "text void on a new attempt": Trial(plan=_plan(failing=0.9, habits=RELOADING, latest=1.0)),
        # Answers get lost, so that writers write again what had been written.
        "idempotent producer": Trial(plan=_plan(jobs=16, at_once=16, harms=(lines_cut,), respite=0.05, pause=0.05)),
    }
)
