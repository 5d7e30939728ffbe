"""Dead letters: looked at, put back to work, or let go."""

import json
from typing import Any

import pytest

from goatherd import Context, Goatherd, Retry
from goatherd.engine.dead_letters import BATCH, fresh_message, read_letter
from goatherd.errors import UnknownJob
from goatherd.model.dead_letter import Burial, LetterFilter, StoredLetter
from goatherd.model.envelope import Unparsable
from goatherd.model.formats import FORMATS
from goatherd.model.message import DEATHS, FAILURES, REFUSALS, REFUSED_SINCE, Message
from tests.unit.engine.stage import HandClock, at_work, opened

NATIVE, PLAIN = FORMATS["native"], FORMATS["plain"]
ALL = LetterFilter()


def stored(body: bytes, **properties: Any) -> StoredLetter:
    burial = Burial(reason="failed", error_type="E", message="no", attempts=4, failed_at=200.0)
    message = Message(**{"id": "m1", "queue": "mail", "body": body, "task": "greet", **properties})
    return StoredLetter(id="l1", original=message, accepted=100.0, burial=burial)


def test_a_letter_is_shown_as_people_want_to_see_it() -> None:
    body = b'{"task_id": "7", "step": "greet", "created_at": "1970-01-01T00:01:00Z", "payload": {"name": "Ada"}}'
    letter = read_letter(stored(body), NATIVE)
    assert (letter.id, letter.job_id, letter.task, letter.queue) == ("l1", "7", "greet", "mail")
    assert (letter.arguments, letter.body, letter.attempts) == ({"name": "Ada"}, body, 4)
    assert (letter.created_at.timestamp(), letter.failed_at.timestamp()) == (60.0, 200.0)


@pytest.mark.parametrize(
    "body",
    [
        b"garbage",
        b"[" * 100_000,
        b'{"v": 9, "task_id": "7"}',
        b'{"task_id": "7", "step": "s", "created_at": "0001-01-01T00:00:00+23:00", "payload": {}}',
    ],
)
def test_a_letter_that_cannot_be_read_is_shown_as_far_as_it_goes(body: bytes) -> None:
    letter = read_letter(stored(body, id="m7"), NATIVE)
    assert letter.body == body
    assert letter.job_id in ("m7", "7")
    assert letter.created_at.tzinfo is not None


def test_the_whole_body_is_the_arguments_only_if_it_is_an_object() -> None:
    assert read_letter(stored(b"[1]"), PLAIN).arguments is None
    assert read_letter(stored(b'{"a": 1}'), PLAIN).arguments == {"a": 1}


def test_a_job_is_put_back_with_all_counts_reset_and_without_its_deadline() -> None:
    headers: dict[str, str | int | float] = {FAILURES: 3, DEATHS: 1, REFUSALS: 2, REFUSED_SINCE: 5.0, "x": "kept"}
    body = b'{"task_id":"7","step":"greet","attempt":4,"deadline":"2020-01-01T00:00:00Z","payload":{"name":"Ada"}}'
    message = fresh_message(stored(body, headers=headers, due=5.0, expires=10.0, priority=7).original, NATIVE)
    assert json.loads(message.body) == {"task_id": "7", "step": "greet", "attempt": 1, "payload": {"name": "Ada"}}
    assert (message.headers, message.due, message.expires, message.priority) == ({"x": "kept"}, None, None, 7)


def test_bytes_that_are_no_job_are_put_back_as_they_are() -> None:
    assert fresh_message(stored(b"garbage").original, NATIVE).body == b"garbage"


def test_bytes_that_are_no_job_cannot_get_other_arguments() -> None:
    with pytest.raises(Unparsable):
        fresh_message(stored(b"garbage").original, NATIVE, {"name": "Eve"})


async def test_a_replayed_job_starts_with_all_its_attempts(app: Goatherd, clock: HandClock) -> None:
    attempts, broken = [], [True]

    @app.task(retry=Retry(1, jitter=0))
    async def fragile(ctx: Context) -> None:
        attempts.append(ctx.attempt)
        if broken:
            raise ConnectionError

    async with at_work(app) as stage:
        job_id = await fragile.send()
        await stage.saw("replaced")
        clock.advance(1)
        letter = await stage.letter()
        broken.clear()
        assert await stage.office.replay_one(letter.id)
        await stage.saw("acked")
        assert await stage.letters() == []
    assert attempts == [1, 2, 1]
    assert letter.job_id == job_id


async def test_a_job_that_expired_runs_when_it_is_replayed(app: Goatherd, clock: HandClock) -> None:
    done = []

    @app.task
    async def late() -> None:
        done.append(1)

    @app.task
    async def other() -> None: ...

    async with opened(app):
        await late.options(deadline=5).send()
        clock.advance(6)
    async with at_work(app) as stage:
        await other.send()
        await stage.saw("acked")
        [letter] = await stage.letters()
        assert letter.reason == "expired"
        await stage.office.replay_one(letter.id)
        await stage.saw("acked", 2)
        assert await stage.letters() == []
    assert done == [1]


async def test_a_job_may_be_replayed_with_other_arguments(app: Goatherd) -> None:
    done = []

    @app.task
    async def divide(by: int) -> None:
        done.append(10 / by)

    async with at_work(app) as stage:
        await divide.send(0)
        letter = await stage.letter()
        await stage.office.replay_one(letter.id, {"by": 5})
        await stage.saw("acked")
    assert done == [2.0]


async def test_a_letter_that_is_gone_is_told(app: Goatherd) -> None:
    @app.task
    async def greet() -> None: ...

    async with opened(app) as stage:
        with pytest.raises(UnknownJob, match="goatherd dead list"):
            await stage.office.get("nothing")
        with pytest.raises(UnknownJob):
            await stage.office.replay_one("nothing")


async def test_many_are_replayed_or_discarded_in_steps_that_tell_how_far_they_are(app: Goatherd) -> None:
    @app.task(queue="mail")
    async def broken(number: int) -> None:
        raise ValueError(f"number {number}")

    async with at_work(app) as stage:
        await app.send_many(broken.job(number) for number in range(BATCH + 20))
        await stage.saw("buried", BATCH + 20)
        some = LetterFilter(queue="mail", task="broken", error="number 7")
        assert len([letter async for letter in stage.office.find(some)]) == 11
        await stage.worker.stop()
        assert [done async for done in stage.office.replay(ALL, limit=BATCH + 5)] == [BATCH, BATCH + 5]
        assert [done async for done in stage.office.discard(ALL)] == [15]
        [queue] = await app.session().ports.operations.queues()
        assert (queue.ready, queue.dead) == (BATCH + 5, 0)
