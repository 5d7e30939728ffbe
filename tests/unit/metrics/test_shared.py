"""A scheduler tells how queues, schedules, lanes and tallies stand, as it last saw them."""

import asyncio
import logging
from typing import Any, get_args

import pytest

from goatherd import Goatherd, Retry
from goatherd.engine.sampler import DEADLINE, pause_after
from goatherd.errors import Unavailable
from goatherd.model.families import LINK_STATES, LOSSES, STRAYS
from goatherd.ports.broker import LinkState
from goatherd.ports.telemetry import Stray
from goatherd.testing.suites.receiver import eventually
from tests.unit.metrics.scraped import looked, scraped

LONG = 30.0


async def test_queues_are_told(app: Goatherd) -> None:
    @app.task(queue="mail")
    async def send_mail() -> None: ...

    async with app.serve("scheduler"):
        await send_mail.send()
        await send_mail.send()
        await send_mail.options(delay=3600).send()
        told = await looked(app)
    of_mail = {name[0]: value for name, value in told.items() if name[1:] == ("mail",)}
    assert of_mail.pop("goatherd_queue_oldest_seconds") > 0
    assert of_mail.pop("goatherd_queue_backlog_seconds") >= 0
    assert of_mail == {
        "goatherd_queue_ready": 2,
        "goatherd_queue_delayed": 1,
        "goatherd_queue_running": 0,
        "goatherd_queue_consumers": 0,
        "goatherd_queue_dead": 0,
        "goatherd_queue_paused": 0,
    }


async def test_dead_letters_are_told(app: Goatherd) -> None:
    @app.task(queue="mail")
    async def broken() -> None:
        raise ValueError

    async with app.serve("scheduler", "worker"):
        assert (await looked(app))["goatherd_dead_letters_kept",] == 0
        await broken.send()

        async def buried() -> bool | None:
            return ("goatherd_dead_letters_total", "mail", "failed", "broken") in scraped(app) or None

        await eventually(buried, "a dead letter")
        told = await looked(app)
    assert told["goatherd_dead_letters_kept",] == told["goatherd_queue_dead", "mail"] == 1


async def test_a_process_that_is_no_scheduler_does_not_look(app: Goatherd) -> None:
    @app.task
    async def fine() -> None: ...

    async with app.serve("worker"):
        assert app.samplers == []
        assert "goatherd_queue_ready{" not in app.metrics()


async def test_a_scheduler_looks_by_itself(app: Goatherd) -> None:
    async with app.serve("scheduler"):

        async def seen() -> bool | None:
            return scraped(app).get(("goatherd_seen", "queues")) == 1 or None

        await eventually(seen, "a first look")
    assert app.samplers == []


async def test_nobody_looks_if_that_is_not_wanted(app: Goatherd) -> None:
    quiet = Goatherd("shop", broker_url=app.settings.broker_url, metrics_every=0)
    async with quiet.serve("scheduler"):
        assert quiet.samplers == []


async def test_listeners_have_one_line_for_all_queues_of_a_pattern(app: Goatherd) -> None:
    async def wanted() -> list[str]:
        return ["one", "two"]

    @app.listeners("orders.{}", wanted)
    async def order(shop: str, number: int) -> None: ...

    async with app.serve("scheduler"):
        await order.send("one", 1)
        await order.send("two", 2)
        told = await looked(app)
    ready = {name[1]: value for name, value in told.items() if name[0] == "goatherd_queue_ready"}
    assert ready["orders.{}"] == 2
    assert not {"orders.one", "orders.two"} & set(ready)


# --- schedules ----------------------------------------------------------------------------------


async def test_runs_of_schedules_are_told(app: Goatherd) -> None:
    fails = True

    @app.cron("0 0 2 29 2 *", retry=Retry(0))
    async def sweep() -> None:
        if fails:
            raise ValueError

    def of(told: dict[tuple[str, ...], float]) -> dict[str, float]:
        return {name[0].removeprefix("goatherd_schedule_"): value for name, value in told.items() if "sweep" in name}

    async def ended(failed: int) -> dict[str, float]:
        async def look() -> dict[str, float] | None:
            told = of(await looked(app))
            return told if told.get("last_run_failed") == failed and "last_run_seconds" in told else None

        return await eventually(look, "the end of a run")

    async with app.serve("scheduler", "worker"):
        at_first = of(await looked(app))
        assert not {"last_run_timestamp_seconds", "last_success_timestamp_seconds"} & set(at_first)
        await app.schedules.trigger("sweep")
        failed = await ended(1)
        assert "last_success_timestamp_seconds" not in failed
        assert failed["last_run_timestamp_seconds"] > 1.7e9
        fails = False
        await app.schedules.trigger("sweep")
        succeeded = await ended(0)
        success = succeeded["last_success_timestamp_seconds"]
        assert success >= succeeded["last_run_timestamp_seconds"] >= failed["last_run_timestamp_seconds"]
        fails = True
        await app.schedules.trigger("sweep")
        assert (await ended(1))["last_success_timestamp_seconds"] == success
        next_run = (await ended(1))["next_run_timestamp_seconds"]
        assert next_run > success
        # One that begins later finds it in the history.
        other = Goatherd("shop", broker_url=app.settings.broker_url, metrics_every=3600)
        other.cron("0 0 2 29 2 *", name="sweep")(sweep.__wrapped__)
        async with other.serve("scheduler"):
            assert of(await looked(other))["last_success_timestamp_seconds"] == success


async def test_ticks_are_counted_from_zero(app: Goatherd) -> None:
    fired = asyncio.Event()

    @app.every(0.05)
    async def beat() -> None:
        fired.set()

    @app.cron("0 0 2 29 2 *")
    async def rarely() -> None: ...

    async with app.serve("scheduler", "worker"), asyncio.timeout(LONG):
        await fired.wait()
        told = scraped(app)
    assert told["goatherd_ticks_total", "fired", "beat"] >= 1
    assert {told["goatherd_ticks_total", outcome, "rarely"] for outcome in ("fired", "missed", "skipped")} == {0}


# --- lanes and tallies --------------------------------------------------------------------------


async def test_lanes_that_wait_for_a_worker_are_told(app: Goatherd) -> None:
    @app.task(queue="comments", key="post")
    async def comment(post: int) -> None: ...

    async with app.serve("scheduler"):
        told = await looked(app)
        assert (told["goatherd_lanes_ready", "comments"], told["goatherd_lanes_ready_oldest_seconds", "comments"]) == (
            0,
            0,
        )
        for post in (1, 1, 1, 2):
            await comment.send(post)
        told = await looked(app)
        # They are not in the queue itself.
        assert (told["goatherd_lanes_ready", "comments"], told["goatherd_queue_ready", "comments"]) == (2, 0)
        assert told["goatherd_lanes_ready_oldest_seconds", "comments"] > 0


async def test_held_lanes_are_told(app: Goatherd) -> None:
    @app.task(queue="comments", key="post", on_exhausted="hold")
    async def comment(post: int) -> None:
        raise ValueError

    async with app.serve("scheduler", "worker"):
        assert (await looked(app))["goatherd_lanes_held", "comments"] == 0
        for post in (1, 1, 1, 2):
            await comment.send(post)

        async def held() -> dict[tuple[str, ...], float] | None:
            told = await looked(app)
            return told if told["goatherd_lanes_held", "comments"] == 2 else None

        told = await eventually(held, "two held lanes")
    assert told["goatherd_lanes_held_jobs", "comments"] == 4
    assert told["goatherd_lanes_held_oldest_seconds", "comments"] >= 0


async def test_tallies_are_told(app: Goatherd) -> None:
    gifts = app.tally("gifts")
    async with app.serve("scheduler"):
        await gifts.add("ada", 5)
        await gifts.add("bob", 2)
        told = await looked(app)
    assert (told["goatherd_tally_keys", "gifts"], told["goatherd_tally_waiting", "gifts"]) == (2, 7)


# --- what cannot be seen ------------------------------------------------------------------------


async def test_a_store_that_is_away_hides_only_what_it_has(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with app.serve("scheduler"):
        operations = app.session().ports.operations

        async def away(_also: object = ()) -> Any:
            raise Unavailable("the disk is full")

        with monkeypatch.context() as patched, caplog.at_level(logging.INFO, "goatherd.metrics"):
            patched.setattr(operations, "queues", away)
            await looked(app)
            told = await looked(app)
        assert (told["goatherd_seen", "queues"], told["goatherd_seen", "dead letters"]) == (0, 1)
        assert not [name for name in told if name[0] == "goatherd_queue_ready"]
        [warning] = caplog.records
        assert warning.getMessage() == "Metrics do not tell of the queues now: the disk is full"
        with caplog.at_level(logging.INFO, "goatherd.metrics"):
            assert (await looked(app))["goatherd_seen", "queues"] == 1
        assert "again" in caplog.records[-1].getMessage()


async def test_a_store_that_hangs_is_not_waited_for_for_ever(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.engine.sampler.DEADLINE", 0.05)
    async with app.serve("scheduler"):

        async def asleep() -> Any:
            await asyncio.Event().wait()

        monkeypatch.setattr(app.session().ports.dead_letters, "count", asleep)
        async with asyncio.timeout(LONG):
            told = await looked(app)
        assert told["goatherd_seen", "dead letters"] == 0


def test_a_store_that_is_slow_is_asked_more_rarely_and_one_that_was_away_is_seen_soon() -> None:
    assert pause_after(0.1, every=15.0, all_seen=True) == 15.0
    assert pause_after(4.0, every=15.0, all_seen=True) == 40.0
    assert pause_after(DEADLINE, every=15.0, all_seen=False) == 15.0


def test_every_state_of_a_link_has_its_line() -> None:
    assert get_args(LinkState) == LINK_STATES


def test_what_must_not_happen_is_counted_from_zero(app: Goatherd) -> None:
    """Or the first time that it happens would not be seen as growth, and nobody would be told."""
    assert set(get_args(Stray)) == set(STRAYS)
    told = scraped(app)
    assert {why: told["goatherd_stray_replies_total", why] for why in STRAYS} == dict.fromkeys(STRAYS, 0)
    assert {why: told["goatherd_events_lost_total", why] for why in LOSSES} == dict.fromkeys(LOSSES, 0)
    app.meter.events_lost(3, "store away")
    assert scraped(app)["goatherd_events_lost_total", "store away"] == 3


async def test_the_state_of_the_link_is_told(app: Goatherd) -> None:
    async with app:
        told = scraped(app)
    assert told["goatherd_link", "broker", "up"] == 1
    assert told["goatherd_link", "broker", "down"] == 0
    assert not [name for name in scraped(app) if name[0] == "goatherd_link"], "one that is closed has no link"
