"""What the doctor says about listeners."""

from pathlib import Path

from goatherd import Goatherd
from goatherd.cli.listener_checks import listener_checks
from goatherd.model.listener import ListenerRow, Standing


async def test_listeners_that_are_not_well(tmp_path: Path) -> None:
    app = Goatherd("arcade", broker_url=f"sqlite:///{tmp_path}/jobs.db")

    async def open_games() -> set[int]:
        return {7}

    @app.listeners("match-{}", open_games)
    async def join(game: int, player: str) -> None: ...

    async with app:
        assert [check async for check in listener_checks(app, "arcade:app")] == []
        records = await app.session().recurring.listeners()
        down = Standing(condition="down", since=0.0, why="the queue is gone")
        row = ListenerRow(process="box:7", pattern="match-{}", queue="match-7", standing=down)
        await records.report("box:7", [row], (), 60.0)
        [check] = [check async for check in listener_checks(app, "arcade:app")]
    assert check.state == "warning"
    assert check.found == "1 listener not well: match-7 (the queue is gone)"
    assert "goatherd listeners list arcade:app --unhealthy" in check.mend
