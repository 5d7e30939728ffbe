"""What tests of these pages do again and again."""

import re

from goatherd import Goatherd
from goatherd.model.audit import AuditFilter
from tests.faults.watching import until
from tests.unit.web.dashboard.callers import Caller


async def shows(caller: Caller, path: str, words: str) -> str:
    """The page, once it has these words: what it shows is on record a moment after it happened."""
    seen = ""

    async def come() -> bool:
        nonlocal seen
        seen = (await caller.get(path)).text
        return words in seen

    await until(come, f"{words!r} on {path}")
    return seen


def links(page: str, path: str) -> list[str]:
    """Addresses that begin so and end there, each once, in the order of the page."""
    return list(dict.fromkeys(re.findall(rf'href="({path}[^"/?]+)"', page)))


async def actions(app: Goatherd) -> list[str]:
    """What is on record of what was done, the newest first."""
    trail = await app.session().control_records.audit()
    return [f"{entry.action} {entry.target} {entry.outcome}" for entry in await trail.find(AuditFilter(), 20)]
