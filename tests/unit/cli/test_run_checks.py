"""The doctor looks at pipelines: whether their steps fit, where their runs are, and whether somebody is needed."""

from pathlib import Path

from goatherd import Goatherd
from goatherd.cli.run_checks import pipeline_faults, run_checks
from goatherd.model.run_record import FailRun, NewRun, PlannedStep, UnitClaim, UnitExchange, UnitKey
from goatherd.ports.clock import SystemClock
from goatherd.wiring import open_steps
from tests.unit.cli.run_parts import trouble


def studio(folder: Path) -> Goatherd:
    app = Goatherd("studio", broker_url=f"sqlite:///{folder}/studio.db")
    book = app.pipeline("book", takes=str, gives=str)

    @book.step(after=book.input)
    async def bind(text: str) -> str:
        return text

    return app


async def test_an_app_without_pipelines_is_not_asked(tmp_path: Path) -> None:
    app = Goatherd("studio", broker_url=f"sqlite:///{tmp_path}/studio.db")
    assert [check async for check in run_checks(app, "studio:app")] == []
    assert list(pipeline_faults(app)) == []


async def test_runs_that_need_somebody_are_named(tmp_path: Path) -> None:
    app = studio(tmp_path)
    opened = await open_steps(app.settings, SystemClock())
    try:
        plan = [PlannedStep(name="bind")]
        runs = [("book-1", "book"), ("book-2", "book"), ("film-1", "film")]
        await opened.steps.begin(
            [NewRun(id=run, pipeline=pipeline, input=b'""', trace_id=run, steps=plan) for run, pipeline in runs]
        )
        asked = UnitExchange(worker="host:1", number=1, wanted=[UnitKey("book-1", "bind")])
        [claim] = (await opened.steps.exchange(asked)).claims
        assert isinstance(claim, UnitClaim)
        failed = FailRun(hold=claim.hold, trouble=trouble(), letter=b"")
        await opened.steps.exchange(UnitExchange(worker="host:1", number=2, settled=[failed]))
    finally:
        await opened.steps.close()
    checks = {check.name: check async for check in run_checks(app, "studio:app")}
    assert {name: check.state for name, check in checks.items()} == {
        "pipelines": "well",
        "failed runs": "warning",
        "left runs": "warning",
    }
    assert checks["failed runs"].found == "1 run failed: book-1"
    assert checks["left runs"].found == "1 run of pipeline 'film': the code does not have it, so nobody goes on"


def test_steps_that_do_not_fit_are_wrong(tmp_path: Path) -> None:
    app = studio(tmp_path)
    song = app.pipeline("song", takes=str, gives=int)

    @song.step(after=song.input)
    async def sing(text: str) -> str:
        return text

    [check] = pipeline_faults(app)
    assert (check.name, check.state) == ("pipelines", "wrong")
    assert "sing" in check.found
