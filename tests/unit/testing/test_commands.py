"""Commands in the hands of a test: put in as another program would, without any network."""

import pytest

from goatherd import Goatherd
from goatherd.errors import DefinitionError
from goatherd.testing import testing
from tests.unit.testing.arcade import arcade, commands, diary, invite, join_match, start_machine

START = {"type": "start_machine", "user_id": 5, "data": {"machine": "claw"}, "at": "noon"}


async def test_a_command_becomes_the_job_of_its_handler() -> None:
    async with testing(arcade) as t:
        await t.command(commands, START)
        [job] = t.jobs(start_machine)
        assert (job.state, job.arguments) == ("queued", {"user_id": 5, "data": {"machine": "claw"}})
        await t.drain()
        [job] = t.jobs(start_machine)
        assert (job.state, job.result) == ("done", job.id)
        assert not t.dead
    assert diary == ["start claw for 5"]


async def test_a_command_may_cause_other_work() -> None:
    async with testing(arcade) as t:
        await t.command(commands, {"type": "invite", "user_id": 3, "setting": 7})
        await t.drain()
        assert [job.state for job in (*t.jobs(invite), *t.jobs(join_match))] == ["done", "done"]
    assert diary == ["player 3 in 7"]


async def test_one_that_comes_again_under_its_key_is_done_once() -> None:
    async with testing(arcade) as t:
        await t.command(commands, START, key="k1")
        await t.command(commands, START, key="k1")
        await t.drain()
        await t.command(commands, START, key="k1")
        await t.command(commands, START)
        await t.drain()
        jobs = t.jobs(start_machine)
        assert [job.state for job in jobs] == ["done", "done"]
        assert jobs[0].id != jobs[1].id
        # Another command under a key that was used is not lost.
        await t.command(commands, {**START, "user_id": 6}, key="k1")
        await t.drain()
    assert diary == ["start claw for 5", "start claw for 5", "start claw for 6"]


async def test_what_nobody_takes_is_a_dead_letter() -> None:
    async with testing(arcade) as t:
        await t.command(commands, {"type": "dance"})
        await t.command(commands, {"user_id": 5})
        await t.command(commands, b'{"type": ')
        await t.drain()
        assert [letter.task for letter in t.dead] == ["inbox.unhandled"] * 3
        told = " ".join(letter.message for letter in t.dead)
    assert "no handler for commands of type 'dance'" in told
    assert "its member 'type' is no text" in told
    assert "no JSON" in told


async def test_wrong_members_are_a_dead_letter_of_the_handler() -> None:
    async with testing(arcade) as t:
        await t.command(commands, {"type": "start_machine", "user_id": "five", "data": {}})
        await t.command(commands, {"type": "start_machine", "data": {}})
        await t.drain()
        assert [(letter.task, letter.reason) for letter in t.dead] == [("start_machine", "invalid")] * 2
        assert [job.state for job in t.jobs(start_machine)] == ["failed", "failed"]


async def test_handlers_fail_die_and_are_faked_as_other_tasks() -> None:
    async def refuse(user_id: int, data: dict[str, object]) -> str:
        raise ConnectionError("the machine is off")

    async with testing(arcade) as t:
        t.crash(start_machine, at="end")
        await t.command(commands, START)
        await t.drain()
        [job] = t.jobs(start_machine)
        assert (job.state, job.attempts) == ("done", 2)
        t.fake(start_machine, refuse)
        await t.command(commands, START)
        await t.advance(10)
        assert t.jobs(start_machine)[1].state == "failed"
        [letter] = t.dead
        assert letter.message == "the machine is off"


async def test_mistakes_of_a_test_are_told() -> None:
    other = Goatherd("other")
    empty = other.inbox("redis://localhost/0?list=commands")
    async with testing(arcade) as t:
        with pytest.raises(ValueError, match="no inbox of"):
            await t.command(empty, {})
        for key in ("", "a#b"):
            with pytest.raises(ValueError, match="no key"):
                await t.command(commands, START, key=key)
    async with testing(other) as t:
        with pytest.raises(DefinitionError, match="no handler"):
            await t.command(empty, {})
