"""Stores are asked whether they answer, and never more than once at a time."""

import asyncio
import gc

import pytest

from goatherd.engine.probes import Ask, Probes, Question
from goatherd.errors import Unavailable

#: Seconds for stores that do not answer, and for those that do at once.
SHORT, LONG = 0.02, 20.0


def question(ask: Ask, port: str = "records", about: str = "runs") -> Question:
    return Question(port=port, about=about, ask=ask)


class Store:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.asked = 0

    async def ask(self) -> str:
        self.asked += 1
        await self.may_answer.wait()
        return "well"


async def test_what_is_told_comes_back() -> None:
    store = Store()
    store.may_answer.set()
    [answer] = await Probes().ask([question(store.ask)], LONG)
    assert (answer.port, answer.told, answer.trouble) == ("records", "well", None)


async def test_nothing_to_ask_is_nothing_to_wait_for() -> None:
    assert await Probes().ask([], LONG) == []


async def test_a_store_that_is_away_says_why() -> None:
    async def away() -> None:
        raise Unavailable("The disk is full.")

    [answer] = await Probes().ask([question(away)], LONG)
    assert (answer.told, answer.trouble) == (None, "The disk is full.")


async def test_a_fault_of_ours_is_no_trouble_of_a_store() -> None:
    async def wrong() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Probes().ask([question(wrong)], LONG)


async def test_a_question_without_an_answer_is_not_asked_again_until_it_has_ended() -> None:
    store, probes = Store(), Probes()
    for _ in range(3):
        [answer] = await probes.ask([question(store.ask)], SHORT)
        assert answer.trouble == "no answer within 0.02 s"
    assert store.asked == 1
    store.may_answer.set()
    [answer] = await probes.ask([question(store.ask)], LONG)
    assert (answer.told, store.asked) == ("well", 1), "the answer that came late is one"
    await probes.ask([question(store.ask)], LONG)
    assert store.asked == 2


async def test_one_that_does_not_answer_does_not_keep_the_others() -> None:
    silent, well, probes = Store(), Store(), Probes()
    well.may_answer.set()
    answers = await probes.ask([question(silent.ask), question(well.ask, "events")], SHORT)
    assert [answer.trouble is None for answer in answers] == [False, True]
    await probes.close()


async def test_two_questions_to_one_store_are_two() -> None:
    one, other, probes = Store(), Store(), Probes()
    one.may_answer.set()
    answers = await probes.ask([question(one.ask), question(other.ask, about="schedules")], SHORT)
    assert [answer.trouble is None for answer in answers] == [True, False]
    await probes.close()


async def test_those_who_ask_at_once_share_an_answer() -> None:
    store, probes = Store(), Probes()
    asking = [asyncio.create_task(probes.ask([question(store.ask)], LONG)) for _ in range(5)]
    while not store.asked:
        await asyncio.sleep(0)
    store.may_answer.set()
    assert [answer.told for [answer] in await asyncio.gather(*asking)] == ["well"] * 5
    assert store.asked == 1


async def test_who_does_not_wait_for_the_answer_does_not_break_the_question_off() -> None:
    store, probes = Store(), Probes()
    asking = asyncio.create_task(probes.ask([question(store.ask)], LONG))
    while not store.asked:
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    store.may_answer.set()
    [answer] = await probes.ask([question(store.ask)], LONG)
    assert (answer.told, store.asked) == ("well", 1)


async def test_a_question_is_given_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.engine.probes.GIVEN_UP", SHORT)
    store, probes = Store(), Probes()
    [answer] = await probes.ask([question(store.ask)], LONG)
    assert answer.trouble == "no answer within 20 s"
    store.may_answer.set()
    [answer] = await probes.ask([question(store.ask)], LONG)
    assert (answer.told, store.asked) == ("well", 2)


async def test_nothing_goes_on_after_the_end() -> None:
    store, probes = Store(), Probes()
    await probes.ask([question(store.ask)], SHORT)
    await probes.close()
    await probes.close()
    assert not [task for task in asyncio.all_tasks() if "probe" in task.get_name()]


async def test_an_error_that_comes_when_nobody_waits_any_more_is_no_noise() -> None:
    loop, probes, noise = asyncio.get_running_loop(), Probes(), []
    loop.set_exception_handler(lambda _loop, context: noise.append(context["message"]))
    lost = asyncio.Event()

    async def away() -> None:
        await lost.wait()
        raise Unavailable("The connection is lost.")

    for _ in range(2):
        lost.clear()
        await probes.ask([question(away)], SHORT)
        lost.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await probes.close()
    gc.collect()
    assert noise == []
