"""What other programs, older and newer ones send: bad input loses nothing and stops nobody."""

import json
from typing import Any

import pytest

from goatherd import Context, Goatherd, Retry
from tests.unit.engine.stage import HandClock, at_work


@pytest.fixture
def greeted(app: Goatherd) -> list[Any]:
    """An app with one task, and whom it greeted."""
    seen: list[Any] = []

    @app.task
    async def greet(name: str) -> None:
        seen.append(name)

    return seen


def native(**members: Any) -> bytes:
    return json.dumps({"task_id": "7", "step": "greet", "payload": {"name": "Ada"}, **members}).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"\x00\xff garbage",
        b"",
        b"{}",
        b"[" * 100_000,
        b'{"task_id": "7", "step": "greet", "payload": {"name": "\xff"}}',
    ],
    ids=["binary", "empty", "no envelope", "nesting without end", "broken text"],
)
async def test_bytes_that_are_no_job_become_a_dead_letter_with_the_same_bytes(
    app: Goatherd, greeted: list[Any], body: bytes
) -> None:
    async with at_work(app) as stage:
        await stage.publish("shop", body, headers={"x": "kept"})
        letter = await stage.letter()
        await app.tasks["greet"].send("Ada")
        await stage.saw("acked")
    assert (letter.reason, letter.body, letter.arguments, letter.attempts) == ("unparsable", body, None, 0)
    assert greeted == ["Ada"]


@pytest.mark.parametrize("name", [7, None, ["Ada"]])
async def test_an_argument_of_a_wrong_type_is_a_dead_letter_at_once(
    app: Goatherd, greeted: list[Any], name: object
) -> None:
    async with at_work(app) as stage:
        await stage.publish("shop", native(payload={"name": name}))
        letter = await stage.letter()
    assert (letter.reason, letter.error_type, letter.attempts) == ("invalid", "InvalidArguments", 0)
    assert "name: Expected `str`" in letter.message
    assert greeted == []


UNKNOWN = {
    "task": (native(step="wave"), "unknown_task", "no task 'wave' here; this worker has greet"),
    "argument": (native(payload={"name": "Ada", "loudly": True}), "invalid", "loudly: not an argument of this task"),
    "version": (native(v=2), "unparsable", "envelope of version 2"),
}


@pytest.mark.usefixtures("greeted")
@pytest.mark.parametrize(("body", "reason", "told"), UNKNOWN.values(), ids=UNKNOWN)
async def test_what_a_newer_worker_may_know_is_offered_again_and_then_given_up(
    app: Goatherd, clock: HandClock, body: bytes, reason: str, told: str
) -> None:
    async with at_work(app) as stage:
        await stage.publish("shop", body)
        waits = []
        for turn in range(1, 16):
            await stage.saw("replaced", turn)
            following = stage.following[-1]
            assert following.due is not None
            waits.append(following.due - clock.now())
            assert following.body == body
            clock.advance(waits[-1])
        letter = await stage.letter()
    assert waits[:4] == [1, 2, 4, 8]
    assert sum(waits) == 600
    assert (letter.reason, letter.error_type, letter.body, letter.attempts) == (reason, "Refused", body, 0)
    assert told in letter.message


@pytest.mark.parametrize(("body", "reason", "told"), UNKNOWN.values(), ids=UNKNOWN)
async def test_without_grace_it_is_given_up_at_once(make_app: Any, body: bytes, reason: str, told: str) -> None:
    app = make_app(deploy_grace=0)

    @app.task
    async def greet(name: str) -> None: ...

    async with at_work(app) as stage:
        await stage.publish("shop", body)
        letter = await stage.letter()
    assert (letter.reason, stage.following) == (reason, [])
    assert told in letter.message


async def test_a_job_that_is_known_at_last_is_done(make_app: Any) -> None:
    older, newer, clock = make_app(), make_app(), HandClock()
    older.clock = newer.clock = clock
    greeted = []

    @older.task
    async def other() -> None: ...

    @newer.task
    async def greet(name: str) -> None:
        greeted.append(name)

    async with at_work(older) as stage:
        await stage.publish("shop", native())
        await stage.saw("replaced")
    clock.advance(1)
    async with at_work(newer) as stage:
        await stage.saw("acked")
    assert greeted == ["Ada"]


async def test_a_foreign_envelope_may_leave_out_all_but_the_job(app: Goatherd, greeted: list[Any]) -> None:
    async with at_work(app) as stage:
        await stage.publish("shop", native())
        await stage.saw("acked")
    assert greeted == ["Ada"]


async def test_members_that_are_unknown_here_survive_a_retry(app: Goatherd, clock: HandClock) -> None:
    @app.task(retry=Retry(1, jitter=0))
    async def greet(ctx: Context, name: str) -> None:
        if ctx.attempt == 1:
            raise ConnectionError

    async with at_work(app) as stage:
        await stage.publish("shop", native(speaker={"id": 3}))
        await stage.saw("replaced")
        assert json.loads(stage.following[-1].body) == {**json.loads(native(speaker={"id": 3})), "attempt": 2}
        clock.advance(1)
        await stage.saw("acked")


async def test_a_plain_message_without_an_id_has_one_id_in_all_attempts(app: Goatherd, clock: HandClock) -> None:
    ids = []

    @app.task(queue=app.queue("requests", format="plain"), retry=Retry(1, jitter=0))
    async def analyse(ctx: Context, user_input: str) -> None:
        ids.append(ctx.job_id)
        if ctx.attempt == 1:
            raise ConnectionError

    async with at_work(app) as stage:
        await stage.publish("requests", b'{"user_input": "soup"}', id="")
        await stage.saw("replaced")
        assert stage.following[-1].body == b'{"user_input": "soup"}'
        clock.advance(1)
        await stage.saw("acked")
    assert len(ids) == 2
    assert ids[0] == ids[1] != ""


async def test_a_positional_only_parameter_takes_the_whole_plain_body(app: Goatherd) -> None:
    seen = []

    @app.task(queue=app.queue("answers", format="plain"))
    async def answer(body: list[int], /) -> None:
        seen.append(body)

    async with at_work(app) as stage:
        await answer.send([1, 2])
        await stage.publish("answers", b"[3]")
        await stage.saw("acked", 2)
    assert seen == [[1, 2], [3]]


async def test_a_taskiq_message_runs_with_its_arguments_by_position_and_by_name(app: Goatherd) -> None:
    seen = []

    @app.task(name="chat.process", queue=app.queue("chat.process", format="taskiq"))
    async def reply(ctx: Context, session_id: str, message: str, model: str = "m") -> None:
        seen.append((ctx.job_id, session_id, message, model))

    async with at_work(app) as stage:
        body = b'{"task_id":"7","task_name":"chat.process","labels":{},"args":["s1"],"kwargs":{"message":"hi"}}'
        await stage.publish("chat.process", body)
        headers = {"task_id": "8", "task_name": "chat.process"}
        await stage.publish("chat.process", b'{"args":["s2","ho"],"kwargs":{"model":"x"}}', headers=headers)
        await stage.saw("acked", 2)
    assert sorted(seen) == [("7", "s1", "hi", "m"), ("8", "s2", "ho", "x")]


async def test_a_taskiq_message_that_gives_an_argument_twice_is_a_dead_letter(app: Goatherd) -> None:
    @app.task(name="reply", queue=app.queue("chat", format="taskiq"))
    async def reply(message: str) -> None: ...

    async with at_work(app) as stage:
        await stage.publish("chat", b'{"task_name":"reply","args":["a"],"kwargs":{"message":"b"}}')
        letter = await stage.letter()
    assert (letter.reason, letter.message) == ("invalid", "message: given twice")


@pytest.mark.parametrize("header", [float("inf"), "many", -3])
async def test_a_count_that_is_nonsense_harms_nobody(app: Goatherd, greeted: list[Any], header: float | str) -> None:
    headers = {"gh-failures": header, "gh-deaths": -1, "gh-refusals": header}
    async with at_work(app) as stage:
        await stage.publish("shop", native(), headers=headers)
        await stage.saw("acked")
    assert greeted == ["Ada"]
