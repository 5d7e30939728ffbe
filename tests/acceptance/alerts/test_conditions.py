"""Each condition, caused for real, is told, and so is its end."""

from pathlib import Path

import apsw
import pytest

from goatherd import Goatherd
from goatherd.model.dead_letter import LetterFilter
from goatherd.model.lane import Exchange
from goatherd.model.schedule import Cron, ScheduleRule
from tests.acceptance.alerts.pager import Pager, watched
from tests.unit.engine.stage import HandClock
from tests.unit.metrics.scraped import looked


async def test_a_queue_that_nobody_works_on(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager, alert_lag=0.3)

    @app.task(queue="mail")
    async def send_mail() -> None: ...

    async with app.serve("scheduler"):
        await send_mail.send()
        alert = await pager.told("lag")
        assert (alert["app"], alert["subject"], alert["resolved_at"]) == ("shop", "mail", None)
        assert alert["message"].startswith("1 job waits, the oldest for")
        assert alert["message"].endswith("; no worker takes from it")
        async with app.serve("worker"):
            over = await pager.told("lag", "resolved")
    assert over["since"] == alert["since"] < over["resolved_at"]


async def test_a_queue_in_which_very_many_wait(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager, alert_backlog=3)

    @app.task
    async def work() -> None: ...

    async with app.serve("scheduler"):
        await app.send_many([work.job() for _ in range(3)])
        assert (await pager.told("lag"))["message"] == "3 jobs wait; no worker takes from it"


async def test_jobs_with_a_key_that_nobody_does(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager, alert_lag=0.3)

    @app.task(queue="comments", key="post")
    async def comment(post: int) -> None: ...

    async with app.serve("scheduler"):
        for post in (7, 7, 8):
            await comment.send(post)
        alert = await pager.told("lag")
        assert (alert["subject"], alert["resolved_at"]) == ("comments", None)
        assert alert["message"].startswith("2 lanes wait, the oldest for")
        assert alert["message"].endswith("; no worker takes from it")
        async with app.serve("worker"):
            over = await pager.told("lag", "resolved")
    assert over["since"] == alert["since"] < over["resolved_at"]


async def test_keyed_jobs_whose_only_worker_died(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager, alert_lag=0.3)

    @app.task(queue="comments", key="post")
    async def comment(post: int) -> None: ...

    async with app.serve("scheduler"):
        await comment.send(7)
        # Nobody comes to see that its lease has run out.
        lanes = (await app.session().lanes()).lanes
        await lanes.exchange(Exchange(worker="gone", number=1, queues=["comments"], wanted=1, lease=0.1))
        alert = await pager.told("lag")
        assert alert["message"].startswith("1 lane waits, the oldest for")


async def test_very_many_keys_whose_jobs_wait(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager, alert_backlog=3)

    @app.task(queue="comments", key="post")
    async def comment(post: int) -> None: ...

    async with app.serve("scheduler"):
        await app.send_many([comment.job(post) for post in range(3)])
        assert (await pager.told("lag"))["message"] == "3 lanes wait; no worker takes from it"


async def test_jobs_that_are_given_up(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager)

    @app.task
    async def fail() -> None:
        raise RuntimeError("no")

    async with app.serve("worker", "scheduler"):
        await fail.send()
        alert = await pager.told("dead_letters")
        assert (alert["subject"], alert["message"][:14]) == ("shop", "1 dead letter;")
        letters = app.session().ports.dead_letters
        await letters.discard([letter async for letter in letters.find(LetterFilter())])
        await pager.told("dead_letters", "resolved")


async def test_a_lane_that_is_held(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager)

    @app.task(key="post")
    async def comment(post: int) -> None:
        raise RuntimeError("no")

    async with app.serve("worker", "scheduler"):
        await comment.send(7)
        alert = await pager.told("held_lane")
        assert alert["message"].startswith("1 lane is held, with 1 job;")


def scheduled(folder: Path, pager: Pager, clock: HandClock, **settings: float) -> Goatherd:
    # Long enough for whoever comes back to fire what is due.
    app = watched(folder, pager, alert_after=600.0, **settings)
    app.clock = clock

    @app.every(60)
    async def sweep() -> None: ...

    return app


async def test_ticks_that_nobody_fired(tmp_path: Path, pager: Pager) -> None:
    clock = HandClock()
    async with scheduled(tmp_path, pager, clock).serve("scheduler") as app:
        await _worked_out(app, "sweep")
    clock.advance(3600)
    async with scheduled(tmp_path, pager, clock).serve("scheduler"):
        alert = await pager.told("missed_tick")
    assert alert["subject"] == "sweep"
    assert "ticks were not fired in time" in alert["message"]


async def test_missed_ticks_of_which_a_scheduler_could_not_tell_before_it_died(tmp_path: Path, pager: Pager) -> None:
    clock = HandClock()
    async with scheduled(tmp_path, pager, clock).serve("scheduler") as app:
        await _worked_out(app, "sweep")
    clock.advance(3600)
    async with scheduled(tmp_path, pager, clock, metrics_every=0.0).serve("scheduler") as app:
        ticker = app.session().ticker
        assert ticker is not None
        while not ticker.counts.readings()["sweep", "missed"]:
            await ticker.round()
    assert pager.alerts == []
    async with scheduled(tmp_path, pager, clock).serve("scheduler"):
        alert = await pager.told("missed_tick")
    assert alert["subject"] == "sweep"
    assert "ticks were not fired in time" in alert["message"]


async def test_a_schedule_that_no_scheduler_can_follow(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager)

    @app.task
    async def work() -> None: ...

    async with app.serve("scheduler"):
        operations = (await app.session().recurring.schedules()).operations
        # As one that was set on a machine which knows more time zones.
        await operations.set("landing", ScheduleRule(timing=Cron("0 0 2 * * *", tz="Mars/Phobos")), b"")
        alert = await pager.told("missed_tick")
        assert (alert["subject"], "Mars/Phobos" in alert["message"]) == ("landing", True)
        await operations.set("landing", ScheduleRule(timing=Cron("0 0 2 * * *")), b"")
        await pager.told("missed_tick", "resolved")


async def _worked_out(app: Goatherd, name: str) -> None:
    """Return when it is known when a schedule is due; whoever asks works it out."""
    session = app.session()
    assert session.ticker is not None
    operations = (await session.recurring.schedules()).operations
    while not any(state.name == name and state.next_at is not None for state in await operations.list()):
        await session.ticker.round()


async def test_an_inbox_that_is_not_heard(tmp_path: Path, pager: Pager, unused_tcp_port: int) -> None:
    app = watched(tmp_path, pager)
    commands = app.inbox(f"redis://127.0.0.1:{unused_tcp_port}/0?list=commands", route="type")

    @commands.on("start")
    async def start() -> None: ...

    async with app.serve("scheduler"):
        alert = await pager.told("inbox")
    assert str(unused_tcp_port) in alert["subject"]


async def test_a_tally_that_is_not_flushed(tmp_path: Path, pager: Pager) -> None:
    app = watched(tmp_path, pager, lanes_url=f"sqlite:///{tmp_path}/lanes.db", publish_deadline=0.2)
    gifts = app.tally("gifts")

    @gifts.flush(every=0.1, queue="gifts")
    async def apply(key: str, total: int) -> None: ...

    async with app.serve("scheduler"):
        await gifts.add("ada", 1)
        somebody_else = apsw.Connection(f"{tmp_path}/lanes.db")
        somebody_else.set_busy_timeout(20_000)
        somebody_else.execute("BEGIN IMMEDIATE")
        alert = await pager.told("tally")
        somebody_else.execute("ROLLBACK")
        await pager.told("tally", "resolved")
        somebody_else.close()
    assert (alert["subject"], "did not answer within" in alert["message"]) == ("gifts", True)


@pytest.mark.parametrize("together", [True, False])
async def test_listeners_that_nobody_tells_what_to_listen_to(tmp_path: Path, pager: Pager, together: bool) -> None:
    away = True

    def listening() -> Goatherd:
        app = watched(tmp_path, pager)

        async def matches() -> list[int]:
            if away:
                raise ConnectionError("the database is away")
            return [7]

        @app.listeners("match-{}", matches, every=0.1)
        async def play(match: int) -> None: ...

        return app

    app = listening()
    # A worker that is another process, and the scheduler that hears of it.
    other = app if together else listening()
    async with other.serve("worker"), app.serve("scheduler"):
        alert = await pager.told("listener")
        assert alert["subject"] == "match-{}"
        assert "the database is away" in alert["message"]
        away = False
        await pager.told("listener", "resolved")
        assert (await looked(app))["goatherd_queue_consumers", "match-{}"] == 1
