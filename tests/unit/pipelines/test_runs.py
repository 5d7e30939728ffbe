"""Verbs of pipelines and of their runs: what they ask of those who keep the runs."""

from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from goatherd import Goatherd, Pipeline
from goatherd.errors import DefinitionError, InvalidArguments, NotOpen, UnknownJob, UnknownStep
from goatherd.model.job import JobOptions
from goatherd.model.job_state import JobState
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.run_record import RunSummary


class Video(msgspec.Struct):
    key: str


class Runs:
    """Writes down what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.known: dict[str, str] = {"video-7": "dub"}

    async def start(self, pipeline: PipelineDefinition, payload: bytes, options: JobOptions) -> str:
        self.asked.append(("start", pipeline.name, payload, options))
        return options.id or "new"

    async def cancel(self, run: str, queues: Iterable[str] = ()) -> bool:
        self.asked.append(("cancel", run, set(queues)))
        return True

    async def retry(self, run: str, steps: Sequence[str] | None = None) -> int:
        self.asked.append(("retry", run, steps))
        return 1

    async def resume_from(self, pipeline: PipelineDefinition, run: str, step: str) -> None:
        self.asked.append(("resume_from", pipeline.name, run, step))

    async def knows(self, run: str) -> RunSummary | None:
        if run not in self.known:
            return None
        name = self.known[run]
        return RunSummary(id=run, pipeline=name, state="running", created=0, ended_at=None, steps_done=0, steps=2)


class Tracked:
    """Jobs of tasks, and the ends of runs."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []

    async def cancel(self, job_id: str, queues: Iterable[str]) -> bool:
        self.cancelled.append(job_id)
        return True

    async def end(self, job_id: str) -> JobState:
        return JobState(status="done", epoch="e", seq=3, attempt=1, result=b'{"key":"dubbed"}')


@pytest.fixture
def dub(app: Goatherd) -> Pipeline[Video, Video]:
    dub = app.pipeline("dub", takes=Video, gives=Video)

    @dub.step(after=dub.input, queue="audio")
    async def audio(video: Video) -> str:
        return video.key

    @dub.step(after=audio)
    async def mux(key: str) -> Video:
        return Video(key)

    return dub


@pytest.fixture
def tracked() -> Tracked:
    return Tracked()


@pytest.fixture
def runs(app: Goatherd, tracked: Tracked, monkeypatch: pytest.MonkeyPatch) -> Runs:
    runs = Runs()
    monkeypatch.setattr(app, "session", lambda: SimpleNamespace(runs=runs, tracked=tracked))
    return runs


async def test_a_run_is_begun_with_its_input_and_options(dub: Pipeline[Video, Video], runs: Runs) -> None:
    run = await dub.options(id="video-8", delay=5).start(Video("a.mp4"))
    assert runs.asked == [("start", "dub", b'{"key":"a.mp4"}', JobOptions(delay=5.0, id="video-8"))]
    assert (run.id, (await dub.start(Video("b"))).id) == ("video-8", "new")


async def test_a_result_has_the_type_that_the_pipeline_gives(dub: Pipeline[Video, Video], runs: Runs) -> None:
    assert await (await dub.start(Video("a"))).result() == Video("dubbed")
    assert await dub.app.run("video-7", of=dub).result() == Video("dubbed")
    assert await dub.app.run("video-7").result() == {"key": "dubbed"}


@pytest.mark.parametrize("wrong", [{"name": "a"}, "a", None, Video(7)])  # type: ignore[arg-type]
async def test_an_input_that_does_not_fit_begins_nothing(dub: Pipeline[Any, Any], runs: Runs, wrong: Any) -> None:
    with pytest.raises(InvalidArguments, match=r"'dub': input: .*Nothing was sent") as caught:
        await dub.start(wrong)
    assert list(caught.value.problems) == ["input"]
    assert runs.asked == []


async def test_an_input_that_is_too_large_begins_nothing(dub: Pipeline[Video, Video], runs: Runs) -> None:
    with pytest.raises(InvalidArguments, match=r"1,010 bytes, but at most 1,000 .*GOATHERD_PAYLOAD_LIMIT"):
        await dub.start(Video("a" * 1000))
    assert runs.asked == []


async def test_a_closed_app_begins_nothing(dub: Pipeline[Video, Video]) -> None:
    with pytest.raises(NotOpen):
        await dub.start(Video("a"))


async def test_steps_are_done_again(dub: Pipeline[Video, Video], runs: Runs) -> None:
    own = dub.app.pipeline("own", takes=Video, gives=Video)

    @own.step(after=own.input)
    async def tell(video: Video) -> Video:
        return video

    run = dub.app.run("video-8", of=own)
    await run.retry_step(tell)
    await run.resume_from(tell)
    run = dub.app.run("video-7", of=dub)
    await run.retry_step("mux")
    await run.resume_from("audio")
    assert runs.asked == [
        ("retry", "video-8", ["tell"]),
        ("resume_from", "own", "video-8", "tell"),
        ("retry", "video-7", ["mux"]),
        ("resume_from", "dub", "video-7", "audio"),
    ]


async def test_a_run_is_known_by_its_id_alone(dub: Pipeline[Video, Video], runs: Runs, tracked: Tracked) -> None:
    run = dub.app.run("video-7")
    await run.retry_step("mux")
    assert await run.cancel()
    assert runs.asked == [("retry", "video-7", ["mux"]), ("cancel", "video-7", {"audio", "media"})]
    assert tracked.cancelled == []


async def test_jobs_of_tasks_are_cancelled_as_before(dub: Pipeline[Video, Video], runs: Runs, tracked: Tracked) -> None:
    @dub.app.task
    async def greet() -> None: ...

    assert await dub.app.run("job-1").cancel()
    assert await dub.app.run("job-2", of=greet).cancel()
    assert (runs.asked, tracked.cancelled) == ([], ["job-1", "job-2"])


async def test_a_step_that_the_pipeline_does_not_have(dub: Pipeline[Video, Video], runs: Runs) -> None:
    other = dub.app.pipeline("other", takes=str, gives=str)

    @other.step(after=other.input, name="mux")
    async def same_name(key: str) -> str:
        return key

    run = dub.app.run("video-7", of=dub)
    for step in ("mix", same_name, dub.input):
        with pytest.raises(UnknownStep, match=r"'dub' has no step .* Its steps: audio, mux") as caught:
            await run.retry_step(step)
        assert (caught.value.pipeline, caught.value.steps) == ("dub", ("audio", "mux"))
        with pytest.raises(UnknownStep):
            await run.resume_from(step)
    assert runs.asked == []


async def test_only_runs_of_pipelines_have_steps(dub: Pipeline[Video, Video], runs: Runs) -> None:
    @dub.app.task
    async def greet() -> None: ...

    for run in (dub.app.run("job-1"), dub.app.run("job-1", of=greet), Goatherd("empty").run("job-1")):
        with pytest.raises(UnknownJob, match="No run of a pipeline has the id 'job-1'"):
            await run.retry_step("mux")
    assert runs.asked == []


async def test_a_run_of_a_pipeline_that_this_program_does_not_have(dub: Pipeline[Video, Video], runs: Runs) -> None:
    runs.known["old"] = "forgotten"
    with pytest.raises(DefinitionError, match="run 'old' is of the pipeline 'forgotten', which the app 'media'"):
        await dub.app.run("old").retry_step("mux")
    assert await dub.app.run("old").cancel()
    assert runs.asked == [("cancel", "old", {"audio", "media"})]
