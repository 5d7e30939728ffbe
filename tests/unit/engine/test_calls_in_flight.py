"""How many calls may wait, each under an id of its own."""

import asyncio

import pytest

from goatherd import Goatherd
from goatherd.errors import Refused
from tests.unit.engine.post_office import Double, PostOffice, all_of, asking, outcomes

pytestmark = pytest.mark.usefixtures("office_opened")


@pytest.mark.parametrize("app", [{"calls_in_flight": 2}], indirect=True)
async def test_only_so_many_calls_may_wait(app: Goatherd, double: Double, office: PostOffice) -> None:
    waiting = [asking(double.options(id=str(number)).call(number)) for number in range(2)]
    await office.next(1)
    with pytest.raises(Refused, match=r"2 calls.*GOATHERD_CALLS_IN_FLIGHT") as caught:
        await double.options(id="more").call(3)
    assert (caught.value.limit, caught.value.http_status, caught.value.jobs) == ("calls_in_flight", 503, ("more",))
    assert len(office.posted) == 2
    office.answer(("0", b"0"), ("1", b"2"))
    assert await all_of(waiting) == [0, 2]
    again = asking(double.options(id="again").call(1))
    await office.next(2)
    office.answer(("again", b"2"))
    assert await again == 2
    assert outcomes(app) == {"answered": 3, "refused": 1}


@pytest.mark.parametrize("app", [{"calls_in_flight": 2}], indirect=True)
async def test_the_limit_holds_for_the_first_calls_too(app: Goatherd, double: Double, office: PostOffice) -> None:
    office.opening.clear()
    calls = [asking(double.options(id=str(number)).call(number)) for number in range(5)]
    await office.notes.saw("listening")
    await asyncio.sleep(0)
    office.opening.set()
    assert [type(end) for end in await all_of(calls[2:])] == [Refused] * 3
    await office.next(1)
    office.answer(("0", b"0"), ("1", b"2"))
    assert await all_of(calls[:2]) == [0, 2]


async def test_two_calls_of_one_id_cannot_wait_at_once(app: Goatherd, double: Double, office: PostOffice) -> None:
    first = asking(double.options(id="j").call(1))
    await office.next()
    with pytest.raises(ValueError, match="'j' already waits"):
        await double.options(id="j").call(2)
    office.answer(("j", b"2"))
    assert await first == 2
    again = asking(double.options(id="j").call(1))
    await office.next(1)
    office.answer(("j", b"2"))
    assert await again == 2, "one after the other they can"
    assert outcomes(app) == {"answered": 2}


async def test_two_calls_of_one_id_cannot_begin_at_once(double: Double, office: PostOffice) -> None:
    office.opening.clear()
    calls = [asking(double.options(id="j").call(1)) for _ in range(2)]
    await office.notes.saw("listening")
    await asyncio.sleep(0)
    office.opening.set()
    [second] = await all_of(calls[1:])
    assert isinstance(second, ValueError)
    office.answer(("j", b"2"))
    assert await all_of(calls[:1]) == [2]
