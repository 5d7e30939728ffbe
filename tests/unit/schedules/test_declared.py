"""A scheduled task as it is declared, and what is said when it cannot be."""

from typing import Any

import pytest

from goatherd import Context, Goatherd, Retry
from goatherd.errors import DefinitionError, SettingsError
from goatherd.model.schedule import Cron, Delay, Rate


def refused(app: Goatherd) -> str:
    with pytest.raises(DefinitionError) as caught:
        app.tick_pipelines()
    return str(caught.value)


def test_the_three_kinds(app: Goatherd) -> None:
    @app.cron("0 0 2 * * *", tz="Asia/Tokyo")
    async def archive() -> None: ...

    @app.every(60)
    async def match() -> None: ...

    @app.every(5, after_end=True)
    def sweep() -> None: ...

    timings = {each.name: each.rule.timing for each in app.declared_schedules()}
    assert timings == {"archive": Cron("0 0 2 * * *", "Asia/Tokyo"), "match": Rate(60.0), "sweep": Delay(5.0)}
    assert set(app.tasks) == {"archive", "match", "sweep"}


def test_it_is_a_task_with_the_options_of_one(app: Goatherd) -> None:
    @app.every(60, name="hourly", queue="slow", retry=Retry(7), timeout=5)
    async def tick(ctx: Context) -> None: ...

    definition = app.tasks["hourly"].definition
    assert (definition.queue, definition.retry.retries, definition.timeout) == ("slow", 7, 5.0)
    [pipeline] = app.tick_pipelines()
    assert (pipeline.name, [step.task.queue for step in pipeline.steps.values()]) == ("hourly", ["slow"])


def test_it_is_called_with_nothing(app: Goatherd) -> None:
    every: Any = app.every(60)

    @every
    async def greet(name: str, often: int = 1) -> None: ...

    assert refused(app) == (
        "The scheduled task 'greet' needs name, but nobody is there to give arguments when it is due. Give them "
        "defaults, or use app.schedules.set(name, task.job(...), cron=...)."
    )


def test_arguments_may_have_defaults(app: Goatherd) -> None:
    every: Any = app.every(60)

    @every
    async def greet(name: str = "Ada") -> None: ...

    [pipeline] = app.tick_pipelines()
    assert pipeline.steps[pipeline.last].task.signature.names == ()
    assert app.tasks["greet"].definition.signature.names == ("name",)


def test_a_pipeline_of_its_name(app: Goatherd) -> None:
    app.pipeline("archive", takes=int)

    @app.every(60)
    async def archive() -> None: ...

    assert "a pipeline and a scheduled task named 'archive'" in refused(app)


def test_two_of_one_name(app: Goatherd) -> None:
    @app.every(60, name="beat")
    async def one() -> None: ...

    with pytest.raises(DefinitionError, match="two tasks named 'beat'"):

        @app.every(60, name="beat")
        async def other() -> None: ...


def test_a_queue_that_others_read_in_their_own_format(app: Goatherd) -> None:
    theirs = app.queue("theirs", format="plain")

    @app.every(60, queue=theirs)
    async def beat() -> None: ...

    assert "'theirs'" in refused(app)


def test_all_that_is_wrong_in_settings_is_told_at_once(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    @app.cron("@daily", setting="ARCHIVE_CRON")
    async def archive() -> None: ...

    @app.every(60, setting="BEAT_EVERY")
    async def beat() -> None: ...

    monkeypatch.setenv("ARCHIVE_CRON", "at night")
    monkeypatch.setenv("BEAT_EVERY", "often")
    with pytest.raises(SettingsError, match="2 settings are wrong"):
        app.declared_schedules()
