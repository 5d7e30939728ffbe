"""The overview: what it shows, and what it says somebody should look at."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from goatherd.desk.overview import OverviewFacts, StoreFacts, Untold
from goatherd.desk.throughput import ThroughputPoint
from goatherd.errors import Unavailable
from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.attention import attention
from goatherd.web.dashboard.throughput_chart import HEIGHT, chart_of
from tests.unit.web.dashboard.callers import Caller

NOW = datetime(2030, 1, 1, tzinfo=UTC)
WELL = OverviewFacts(at=NOW)


def point(seconds_ago: float, **counts: int) -> ThroughputPoint:
    nothing = dict.fromkeys(("sent", "done", "failed", "retried", "dead", "stream_events"), 0)
    return ThroughputPoint(at=NOW - timedelta(seconds=seconds_ago), seconds=30.0, **(nothing | counts))


async def test_it_shows_what_is_there(operator: Caller, served: Dashboard) -> None:
    app = await served.opened.app()
    await app.session().ports.controls.pause("mail")
    for _ in range(3):
        await app.tasks["send_mail"].send("a@b.c")
    page = await operator.get("/")
    assert page.status_code == 200
    assert "Paused: mail" in page.text
    assert 'stat-value">3<' in page.text.replace("\n", "")
    part = await operator.get_part("/?part=glance")
    assert part.text.strip().startswith('<div id="glance"')


async def test_what_cannot_be_told_does_not_hide_the_rest(
    operator: Caller, served: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = await served.opened.app()

    async def away() -> None:
        raise Unavailable("The <b>records</b> are away.")

    monkeypatch.setattr(app.session().control_records, "processes", away)
    page = await operator.get("/")
    assert page.status_code == 200
    assert "Nothing is known of the throughput: " in page.text
    assert "&lt;b&gt;records&lt;/b&gt; are away" in page.text
    assert "Stores" in page.text


def test_nothing_is_wrong_with_an_app_that_is_well() -> None:
    assert attention(WELL, 300) == []
    assert attention(replace(WELL, oldest_age=301.0), 0) == []


def test_the_worst_comes_first() -> None:
    facts = replace(
        WELL,
        paused_queues=("a", "b", "c", "d", "e"),
        oldest_age=301.0,
        dead_letters=1,
        held_lanes=1200,
        failed_schedules=("nightly",),
        stores=(StoreFacts(port="events", state="down", reasons=("no answer",)),),
        troubles=(Untold(part="lanes", why="The store is away."),),
    )
    assert [(each.tone, each.words) for each in attention(facts, 300)] == [
        ("bad", "The store of events is down: no answer"),
        ("bad", "Nothing is known of the lanes: The store is away."),
        ("bad", "1 dead letter to replay or discard"),
        ("bad", "1\u202f200 lanes wait for somebody"),
        ("bad", "The last run failed of nightly"),
        ("warn", "A job has waited for 5 min 1 s"),
        ("held", "Paused: a, b, c and 2 more"),
    ]


def test_the_drawing_is_to_scale() -> None:
    chart = chart_of([point(90, done=300), point(60), point(30, done=120, retried=30, dead=30)], NOW)
    assert (chart.peak, chart.top, len(chart.columns)) == (10.0, 10.0, 2)
    [(_, bar)] = chart.columns[0].bars
    assert bar.height == HEIGHT
    assert [tone for tone, _ in chart.columns[1].bars] == ["accent", "warn", "bad"]
    assert chart.columns[1].told.endswith("120 done, 30 tried again, 30 failed in 30 s")


def test_the_newest_span_counts_as_far_as_it_has_come() -> None:
    assert chart_of([point(10, done=100)], NOW).peak == 10.0
    assert chart_of([point(1, done=100)], NOW).peak == 0.0
    assert chart_of([], NOW).columns == ()
