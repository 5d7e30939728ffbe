"""The doctor looks at tallies: what waits in them, and whether somebody flushes them."""

from pathlib import Path

from goatherd import Goatherd
from goatherd.cli.tally_checks import tally_checks


async def test_a_tally_that_nobody_flushes_is_named(tmp_path: Path) -> None:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db")
    gifts, views = app.tally("gifts"), app.tally("views")

    @views.flush(every=5)
    async def count_views(page: str, total: int) -> None: ...

    async with app:
        await gifts.add("ann", 1000)
        checks = [check async for check in tally_checks(app)]
    assert [(check.name, check.state) for check in checks] == [("tally", "warning"), ("tally", "well")]
    assert checks[0].found == "'gifts' has 1,000 for 1 key, and no task of this program flushes it"
    assert checks[1].found == "'views' has 0 for 0 keys, flushed every 5s into count_views"


async def test_an_app_without_tallies_is_not_asked(tmp_path: Path) -> None:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db")
    assert [check async for check in tally_checks(app)] == []
