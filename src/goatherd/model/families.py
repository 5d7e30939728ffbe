"""Every metric of a process, but for those of a gateway."""

from collections.abc import Iterator

from goatherd.model.metric_family import Family, Numbers, by_name
from goatherd.model.readings import Readings
from goatherd.model.router_families import ROUTER_FAMILIES
from goatherd.model.shared_families import SHARED_FAMILIES

#: Every state of a connection; each is told, so that each can be alerted on.
LINK_STATES = ("up", "connecting", "blocked", "down")
#: Why events are lost, and why answers go astray; told from 0 on, for what is not there cannot be seen to grow.
LOSSES = ("store away", "too long", "fault")
STRAYS = ("late", "foreign")
_QUEUE_TASK = ("queue", "task")
_OUTCOME = (*_QUEUE_TASK, "outcome")


def _links(readings: Readings) -> Iterator[tuple[tuple[str, ...], float]]:
    for port, now in readings.links.items():
        for state in LINK_STATES:
            yield (port, state), float(state == now)


def _listeners(name: str, text: str) -> Family:
    def read(readings: Readings) -> Numbers:
        return [((pattern,), float(getattr(count, name))) for pattern, count in readings.listeners.items()]

    return Family(name=f"goatherd_listeners_{name}", kind="gauge", text=text, labels=("pattern",), numbers=read)


# fmt: off
JOBS = (
    Family(name="goatherd_jobs_sent", kind="counter", text="Jobs accepted by the broker",
           labels=_QUEUE_TASK, numbers=lambda now: now.sent.items()),
    Family(name="goatherd_attempts", kind="counter", text="Attempts that ended, by outcome",
           labels=_OUTCOME, numbers=lambda now: now.ended.items()),
    Family(name="goatherd_dead_letters", kind="counter", text="Jobs that became dead letters, by reason",
           labels=(*_QUEUE_TASK, "reason"), numbers=lambda now: now.buried.items()),
    Family(name="goatherd_attempts_running", kind="gauge", text="Attempts that run now",
           labels=_QUEUE_TASK, numbers=lambda now: now.running.items()),
    Family(name="goatherd_run_seconds", kind="histogram", text="How long attempts took",
           labels=_QUEUE_TASK, spreads=lambda now: now.run_seconds.items()),
    Family(name="goatherd_wait_seconds", kind="histogram", text="How long jobs waited for a worker",
           labels=_QUEUE_TASK, spreads=lambda now: now.wait_seconds.items()),
)
CALLS = (
    Family(name="goatherd_calls", kind="counter", text="Calls that ended, by outcome",
           labels=_OUTCOME, numbers=lambda now: now.calls.items()),
    Family(name="goatherd_call_seconds", kind="histogram", text="How long callers waited",
           labels=_QUEUE_TASK, spreads=lambda now: now.call_seconds.items()),
    Family(name="goatherd_answers", kind="counter", text="Calls at this worker, by outcome",
           labels=("queue", "outcome"), numbers=lambda now: now.answers.items()),
    Family(name="goatherd_stray_replies", kind="counter", text="Answers for which nobody waited",
           labels=("why",), numbers=lambda now: by_name({**dict.fromkeys(STRAYS, 0), **now.strays})),
)
WATCHES = (
    Family(name="goatherd_events_lost", kind="counter", text="Events of tracked jobs that could not be kept",
           labels=("why",), numbers=lambda now: by_name({**dict.fromkeys(LOSSES, 0), **now.events_lost})),
    Family(name="goatherd_link", kind="gauge", text="1 for the state in which a connection is",
           labels=("port", "state"), numbers=_links),
    _listeners("wanted", "Listeners that data wants here"),
    _listeners("running", "Listeners that consume"),
    _listeners("unhealthy", "Listeners that should consume and do not"),
    _listeners("source_failing", "1 while it is not known what is wanted"),
    Family(name="goatherd_listener_restarts", kind="counter", text="Listeners started again after they had run",
           labels=("pattern",),
           numbers=lambda now: [((pattern,), count.restarts) for pattern, count in now.listeners.items()]),
    Family(name="goatherd_topology_drift", kind="gauge", text="What the broker has otherwise",
           labels=("change",), numbers=lambda now: by_name(now.drift)),
)
SCHEDULER = (
    Family(name="goatherd_ticks", kind="counter", text="Ticks that this process put on record, by outcome",
           labels=("schedule", "outcome"), numbers=lambda now: now.ticks.items()),
    Family(name="goatherd_inbox_commands", kind="counter", text="Commands that this process took in, by step",
           labels=("inbox", "step"), numbers=lambda now: now.commands.items()),
    Family(name="goatherd_scheduler_failing", kind="gauge", text="1 while a scheduler cannot do this",
           labels=("kind", "name"), numbers=lambda now: now.troubles.items()),
)
# fmt: on
FAMILIES = (*JOBS, *CALLS, *WATCHES, *SCHEDULER, *SHARED_FAMILIES)


def families_for(readings: Readings) -> tuple[Family, ...]:
    """Those that a process has: a router's only where there is one."""
    return FAMILIES if readings.router is None else (*FAMILIES, *ROUTER_FAMILIES)
