"""What Prometheus sees, and which alert it makes of that: for each alert what makes it fire, and what does not."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Case:
    """Series of one value a minute, as promtool writes them, and the alerts of one name after so many minutes."""

    alert: str
    series: dict[str, str]
    minutes: int
    #: The labels of each alert that fires, besides its job and its severity.
    fires: list[dict[str, str]] = field(default_factory=list)


def _queue(ready: str, consumers: str = "1x30", paused: str = "0x30", job: str = "shop") -> dict[str, str]:
    """A queue as two schedulers tell of it."""
    return {
        f'goatherd_queue_{name}{{job="{job}",instance="{instance}",queue="mail"}}': values
        for instance in ("a", "b")
        for name, values in (("ready", ready), ("consumers", consumers), ("paused", paused))
    }


def _late(more: dict[str, str]) -> dict[str, str]:
    """A schedule whose next run was due at minute 5."""
    next_run = {'goatherd_schedule_next_run_timestamp_seconds{job="shop",schedule="sweep"}': "300x30"}
    return next_run | {
        f'goatherd_schedule_{name}{{job="shop",schedule="sweep"}}': more.get(name, "0x30")
        for name in ("paused", "gone")
    }


def _attempts(done: str, retried: str) -> dict[str, str]:
    labels = 'job="shop",queue="mail",task="send"'
    return {
        f'goatherd_attempts_total{{{labels},outcome="done"}}': done,
        f'goatherd_attempts_total{{{labels},outcome="retried"}}': retried,
    }


def _calls(answered: str, timeout: str) -> dict[str, str]:
    labels = 'job="shop",queue="ai",task="ask"'
    return {
        f'goatherd_calls_total{{{labels},outcome="answered"}}': answered,
        f'goatherd_calls_total{{{labels},outcome="timeout"}}': timeout,
    }


MAIL = {"queue": "mail"}
SEND = {"queue": "mail", "task": "send"}
ASK = {"queue": "ai", "task": "ask"}
MATCH = {"pattern": "match-{}"}
SWEEP = {"schedule": "sweep"}
GIFTS = {"kind": "tally", "name": "gifts"}

OLDEST = 'goatherd_queue_oldest_seconds{job="shop",queue="mail"}'
READY_LANES = 'goatherd_lanes_ready{job="shop",instance="a",queue="mail"}'
OLDEST_LANE = 'goatherd_lanes_ready_oldest_seconds{job="shop",instance="a",queue="mail"}'
BACKLOG = 'goatherd_queue_backlog_seconds{job="shop",queue="mail"}'
PAUSED = 'goatherd_queue_paused{job="shop",queue="mail"}'
DEAD = 'goatherd_dead_letters_kept{job="shop",instance="a"}'
HELD = 'goatherd_lanes_held{job="shop",queue="mail"}'
UNHEALTHY = 'goatherd_listeners_unhealthy{job="shop",instance="a",pattern="match-{}"}'
SOURCE = 'goatherd_listeners_source_failing{job="shop",instance="a",pattern="match-{}"}'
MISSED = 'goatherd_ticks_total{job="shop",instance="a",schedule="sweep",outcome="missed"}'
FIRED = 'goatherd_ticks_total{job="shop",instance="a",schedule="sweep",outcome="fired"}'
FAILED = 'goatherd_schedule_last_run_failed{job="shop",schedule="sweep"}'
FAILING = 'goatherd_scheduler_failing{job="shop",kind="tally",name="gifts"}'
SEEN = 'goatherd_seen{job="shop",instance="a",what="queues"}'
SEEN_BY_ANOTHER = 'goatherd_seen{job="shop",instance="b",what="queues"}'
LINK = 'goatherd_link{job="shop",instance="a",port="broker",state="up"}'
DRIFT = 'goatherd_topology_drift{job="shop",instance="a",change="create"}'
DRIFT_AS_ANOTHER_SEES_IT = 'goatherd_topology_drift{job="shop",instance="b",change="create"}'
LOST = 'goatherd_events_lost_total{job="shop",why="too long"}'
BEHIND = 'goatherd_router_lag_seconds{job="shop",instance="a"}'
TRIMMED = 'goatherd_router_trimmed_unread_total{job="shop",instance="a",why="limit"}'
DROPPED = 'sse_gateway_queue_dropped_total{job="shop"}'

# fmt: off
CASES = [
    Case(alert="GoatherdNoWorker", series=_queue("7x30", "0x30"), minutes=6, fires=[MAIL]),
    Case(alert="GoatherdNoWorker", series=_queue("7x30", "0x30"), minutes=4),
    Case(alert="GoatherdNoWorker", series=_queue("7x30", "2x30"), minutes=20),
    Case(alert="GoatherdNoWorker", series=_queue("0x30", "0x30"), minutes=20),
    Case(alert="GoatherdNoWorker", series=_queue("7x30", "0x30", "1x30"), minutes=20),
    Case(alert="GoatherdNoWorker", series=_queue("7x30") | _queue("0x30", "0x30", job="other"), minutes=20),
    Case(alert="GoatherdNoWorker", series=_queue("0x30", "0x30") | {READY_LANES: "2x30"}, minutes=6, fires=[MAIL]),
    Case(alert="GoatherdNoWorker", series=_queue("0x30", "1x30") | {READY_LANES: "2x30"}, minutes=20),
    Case(alert="GoatherdNoWorker", series=_queue("0x30", "0x30", "1x30") | {READY_LANES: "2x30"}, minutes=20),
    Case(alert="GoatherdQueueLag", series={OLDEST: "400x30"}, minutes=6, fires=[MAIL]),
    Case(alert="GoatherdQueueLag", series={OLDEST: "0x30", OLDEST_LANE: "400x30"}, minutes=6, fires=[MAIL]),
    Case(alert="GoatherdQueueLag", series={OLDEST: "400x30", OLDEST_LANE: "9x30"}, minutes=6, fires=[MAIL]),
    Case(alert="GoatherdQueueLag", series={OLDEST: "0x30", OLDEST_LANE: "200x30"}, minutes=20),
    Case(alert="GoatherdQueueLag", series={OLDEST_LANE: "400x30", PAUSED: "1x30"}, minutes=20),
    Case(alert="GoatherdQueueLag", series={BACKLOG: "0+60x30"}, minutes=12, fires=[MAIL]),
    Case(alert="GoatherdQueueLag", series={BACKLOG: "0+60x30"}, minutes=9),
    Case(alert="GoatherdQueueLag", series={OLDEST: "200x30", BACKLOG: "0+60x30"}, minutes=20),
    Case(alert="GoatherdQueueLag", series={OLDEST: "400x30", PAUSED: "1x30"}, minutes=20),
    Case(alert="GoatherdQueuePaused", series={PAUSED: "1x90"}, minutes=61, fires=[MAIL]),
    Case(alert="GoatherdQueuePaused", series={PAUSED: "1x90"}, minutes=50),
    Case(alert="GoatherdQueuePaused", series={PAUSED: "1x30 0x60"}, minutes=80),
    Case(alert="GoatherdDeadLetters", series={DEAD: "3x20 4x20"}, minutes=22, fires=[{}]),
    Case(alert="GoatherdDeadLetters", series={DEAD: "1x20"}, minutes=1, fires=[{}]),
    Case(alert="GoatherdDeadLetters", series={DEAD: "3x60"}, minutes=20),
    Case(alert="GoatherdDeadLetters", series={DEAD: "3x20 4x30"}, minutes=45),
    Case(alert="GoatherdDeadLetters", series={DEAD: "4x20 3x20"}, minutes=22),
    Case(alert="GoatherdAttemptsFail", series=_attempts("0+1x40", "0+3x40"), minutes=25, fires=[SEND]),
    Case(alert="GoatherdAttemptsFail", series=_attempts("0+3x40", "0+1x40"), minutes=25),
    Case(alert="GoatherdAttemptsFail", series=_attempts("5x40", "9x40"), minutes=25),
    Case(alert="GoatherdCallsTimeOut", series=_calls("0+4x40", "0+1x40"), minutes=10, fires=[ASK]),
    Case(alert="GoatherdCallsTimeOut", series=_calls("0+40x40", "0+1x40"), minutes=10),
    Case(alert="GoatherdLaneHeld", series={HELD: "2x30"}, minutes=6, fires=[MAIL]),
    Case(alert="GoatherdLaneHeld", series={HELD: "2x3 0x30"}, minutes=10),
    Case(alert="GoatherdListenersUnhealthy", series={UNHEALTHY: "1x30"}, minutes=6, fires=[MATCH]),
    Case(alert="GoatherdListenersUnhealthy", series={UNHEALTHY: "0x30"}, minutes=20),
    Case(alert="GoatherdListenerSourceFails", series={SOURCE: "1x30"}, minutes=6, fires=[MATCH]),
    Case(alert="GoatherdListenerSourceFails", series={SOURCE: "1x3 0x30"}, minutes=10),
    Case(alert="GoatherdTickMissed", series={MISSED: "0x5 1x30"}, minutes=7, fires=[SWEEP]),
    Case(alert="GoatherdTickMissed", series={MISSED: "0x5 1x40"}, minutes=30),
    Case(alert="GoatherdTickMissed", series={MISSED: "5x10 _x60 3x30"}, minutes=73, fires=[SWEEP]),
    Case(alert="GoatherdTickMissed", series={MISSED: "5x10 _x60 3x30"}, minutes=95),
    Case(alert="GoatherdTickMissed", series={MISSED: "5x10 _x60 0x30"}, minutes=73),
    Case(alert="GoatherdTickMissed", series={MISSED: "0x30", FIRED: "0+1x30"}, minutes=20),
    Case(alert="GoatherdScheduleLate", series=_late({}), minutes=10, fires=[SWEEP]),
    Case(alert="GoatherdScheduleLate", series=_late({}), minutes=6),
    Case(alert="GoatherdScheduleLate", series=_late({"paused": "1x30"}), minutes=20),
    Case(alert="GoatherdScheduleLate", series=_late({"gone": "1x30"}), minutes=20),
    Case(alert="GoatherdScheduleFailed", series={FAILED: "0x5 1x10"}, minutes=7, fires=[SWEEP]),
    Case(alert="GoatherdScheduleFailed", series={FAILED: "1x5 0x10"}, minutes=7),
    Case(alert="GoatherdSchedulerFailing", series={FAILING: "1x30"}, minutes=6, fires=[GIFTS]),
    Case(alert="GoatherdSchedulerFailing", series={FAILING: "1x3 0x30"}, minutes=10),
    Case(alert="GoatherdNoScheduler", series={SEEN: "1x20 stale"}, minutes=28, fires=[{}]),
    Case(alert="GoatherdNoScheduler", series={SEEN: "1x20 stale"}, minutes=600, fires=[{}]),
    Case(alert="GoatherdNoScheduler", series={SEEN: "1x20 stale"}, minutes=24),
    Case(alert="GoatherdNoScheduler", series={LINK: "1x60"}, minutes=28),
    Case(alert="GoatherdNoScheduler", series={SEEN: "1x20 stale", SEEN_BY_ANOTHER: "1x60"}, minutes=28),
    Case(alert="GoatherdNoScheduler", series={SEEN: "0x60"}, minutes=28),
    Case(alert="GoatherdLinkDown", series={LINK: "1x5 0x10"}, minutes=8,
         fires=[{"instance": "a", "port": "broker"}]),
    Case(alert="GoatherdLinkDown", series={LINK: "1x30"}, minutes=20),
    Case(alert="GoatherdNotSeen", series={SEEN: "0x30"}, minutes=6, fires=[{"what": "queues"}]),
    Case(alert="GoatherdNotSeen", series={SEEN: "0x30", SEEN_BY_ANOTHER: "1x30"}, minutes=6),
    Case(alert="GoatherdTopologyDrift", series={DRIFT: "1x30", DRIFT_AS_ANOTHER_SEES_IT: "1x30"}, minutes=16,
         fires=[{}]),
    Case(alert="GoatherdTopologyDrift", series={DRIFT: "0x30"}, minutes=20),
    Case(alert="GoatherdEventsLost", series={LOST: "0x5 3x30"}, minutes=7, fires=[{"why": "too long"}]),
    Case(alert="GoatherdEventsLost", series={LOST: "3x30"}, minutes=20),
    Case(alert="GoatherdRouterBehind", series={BEHIND: "90x30"}, minutes=6, fires=[{}]),
    Case(alert="GoatherdRouterBehind", series={BEHIND: "30x30"}, minutes=20),
    Case(alert="GoatherdRouterTrimmed", series={TRIMMED: "0x5 100x30"}, minutes=7, fires=[{}]),
    Case(alert="GoatherdRouterTrimmed", series={TRIMMED: "100x30"}, minutes=20),
    Case(alert="GoatherdRouterTrimmed", series={TRIMMED: "5x10 _x90 9x30"}, minutes=103, fires=[{}]),
    Case(alert="GoatherdRouterTrimmed", series={TRIMMED: "5x10 _x90 9x30"}, minutes=125),
    Case(alert="GoatherdRouterTrimmed", series={TRIMMED: "5x10 _x90 5x30"}, minutes=103),
    Case(alert="GoatherdGatewayDrops", series={DROPPED: "0x5 1x30"}, minutes=7, fires=[{}]),
    Case(alert="GoatherdGatewayDrops", series={DROPPED: "0x30"}, minutes=20),
]
# fmt: on
