"""Lists that may be very long are cut, and say so: a page renews itself every other second."""

import pytest

from goatherd.web.dashboard.pages import letters, queues, schedules
from tests.unit.desk.shop import Shop
from tests.unit.web.dashboard.callers import Caller
from tests.unit.web.dashboard.work.looks import shows


async def test_they_are_cut_and_say_so(shop: Shop, operator: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    @shop.app.every(7200)
    async def sweep() -> None: ...

    async with shop.app.serve("worker", "router"):
        await shop.refuse.send(1, password="hush")
        await shop.mail.options(deadline=0.001, delay=0.05).send("ada")
        await shows(operator, "/dead", "2 letters in 2 groups")
        for page, most in ((queues, "MOST"), (schedules, "MOST_LISTED"), (letters, "MOST_GROUPS")):
            monkeypatch.setattr(page, most, 1)
        for path in ("/queues", "/schedules", "/dead"):
            text = (await operator.get(path)).text
            rows = text.partition("<tbody>")[2].partition("</tbody>")[0]
            assert (rows.count("<tr "), "not shown" in text) == (1, True), path
