"""A listener whose queue is replaced waits for it: it is in no quarantine, and does not make it itself."""

import asyncio

import pytest

from tests.faults.listeners.crowd import crowd
from tests.faults.replacements.by_hand import Surgery

pytestmark = [pytest.mark.servers, pytest.mark.timeout(180)]

NAMES = [f"matching-pvp-{number}" for number in range(5)]


@pytest.mark.parametrize("mark", [True, False])
async def test_it_comes_back_to_the_new_queue(url: str, surgeon: Surgery, mark: bool) -> None:
    async with crowd(url) as listeners:
        await listeners.declare(NAMES)
        await listeners.listen(NAMES)
        away = await surgeon.take_queue(NAMES[2], mark=mark)
        await listeners.stands(NAMES[2], "paused" if mark else "down")
        sending = asyncio.create_task(listeners.send(NAMES, "meanwhile"))
        others = [name for name in NAMES if name != NAMES[2]]
        await listeners.hears({f"{name} meanwhile" for name in others})
        # Longer than it takes to be tried a few times.
        await asyncio.sleep(0.5)
        assert await surgeon.plumbing.crowd(NAMES[2]) is None, "nobody else makes it"
        assert listeners.listeners[NAMES[2]].standing.failures == 0
        await away.put_back()
        if not mark:
            # Without a mark nobody could know that it would be back.
            await asyncio.wait([sending])
            sending.exception()
            sending = asyncio.create_task(listeners.send(NAMES, "afterwards"))
        await listeners.hears(await sending)
        await listeners.stands(NAMES[2], "running")
