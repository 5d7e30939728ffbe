"""What the doctor says about schedules."""

from pathlib import Path

from goatherd import Goatherd
from goatherd.cli.schedule_checks import schedule_checks


async def test_schedules_that_nobody_fires_and_those_that_are_paused(tmp_path: Path) -> None:
    app = Goatherd("clocks", broker_url=f"sqlite:///{tmp_path}/jobs.db")

    @app.every(3600)
    async def sweep() -> None: ...

    @app.cron("@daily")
    async def archive() -> None: ...

    async with app:
        [check] = [check async for check in schedule_checks(app, "clocks:app")]
    assert (check.name, check.state) == ("schedules", "warning")
    assert check.found == "no scheduler that lives has archive, sweep, so nobody fires them"
    assert "goatherd scheduler clocks:app" in check.mend
    async with app.serve("scheduler"):
        await app.schedules.pause("sweep")
        checks = [check async for check in schedule_checks(app, "clocks:app")]
    assert [(check.state, check.found) for check in checks] == [
        ("well", "2 schedules, and a scheduler that fires"),
        ("warning", "sweep"),
    ]


async def test_an_app_without_schedules(tmp_path: Path) -> None:
    app = Goatherd("clocks", broker_url=f"sqlite:///{tmp_path}/jobs.db")
    async with app:
        assert [check async for check in schedule_checks(app, "clocks:app")] == []
