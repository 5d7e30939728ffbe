"""Runs of pipelines, begun and taken up again by threads."""

import threading
from typing import Any

import pytest

from goatherd import Goatherd, Pipeline
from goatherd.engine.runs import Runs
from goatherd.errors import InvalidArguments, Unavailable, UnknownStep
from goatherd.model.job import JobOptions
from goatherd.model.pipeline import PipelineDefinition
from goatherd.sync import blocking


@pytest.fixture
def count(app: Goatherd) -> Pipeline[int, int]:
    count = app.pipeline("count", takes=int, gives=int)

    @count.step(after=count.input)
    async def more(number: int) -> int:
        return number + 1

    return count


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What those who keep the runs are asked for, and on which thread."""
    asked: list[tuple[Any, ...]] = []

    async def start(runs: Runs, pipeline: PipelineDefinition, payload: bytes, options: JobOptions) -> str:
        asked.append((threading.current_thread().name, "start", pipeline.name, payload, options.delay, options.id))
        return str(options.id)

    async def retry(runs: Runs, run: str, steps: list[str]) -> int:
        asked.append((threading.current_thread().name, "retry", run, steps))
        return 1

    async def resume_from(runs: Runs, pipeline: PipelineDefinition, run: str, step: str) -> None:
        asked.append((threading.current_thread().name, "resume_from", pipeline.name, run, step))

    for verb in (start, retry, resume_from):
        monkeypatch.setattr(Runs, verb.__name__, verb)
    return asked


def test_a_run_is_begun_on_the_io_thread(count: Pipeline[int, int], asked: list[tuple[Any, ...]]) -> None:
    run = blocking(count).options(delay=5).options(id="seven").start(7)
    assert run.id == "seven"
    assert asked == [("goatherd-io", "start", "count", b"7", 5.0, "seven")]
    assert repr(blocking(count)) == "blocking(<Pipeline count of shop>)"


def test_a_run_has_an_id_before_it_is_begun(
    count: Pipeline[int, int], asked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = blocking(count).start(7)
    assert [call[-1] for call in asked] == [run.id]

    async def away(runs: Runs, pipeline: PipelineDefinition, payload: bytes, options: JobOptions) -> str:
        asked.append((options.id,))
        raise Unavailable("the records are away", jobs=[str(options.id)])

    monkeypatch.setattr(Runs, "start", away)
    with pytest.raises(Unavailable, match="the records are away") as caught:
        blocking(count).start(7)
    assert asked[-1] == tuple(caught.value.jobs)


def test_a_wrong_input_is_told_to_the_caller(count: Pipeline[Any, int], asked: list[tuple[Any, ...]]) -> None:
    with pytest.raises(InvalidArguments, match="Expected `int`, got `str`"):
        blocking(count).start("seven")
    assert asked == []


def test_steps_are_done_again(app: Goatherd, count: Pipeline[int, int], asked: list[tuple[Any, ...]]) -> None:
    run = blocking(app).run("seven", of=count)
    run.retry_step("more")
    blocking(app.run("seven", of=count)).resume_from("more")
    assert asked == [
        ("goatherd-io", "retry", "seven", ["more"]),
        ("goatherd-io", "resume_from", "count", "seven", "more"),
    ]
    with pytest.raises(UnknownStep, match="Its steps: more"):
        run.retry_step("less")


def test_only_some_things_have_verbs_that_wait() -> None:
    wrong: Any = "count"
    with pytest.raises(TypeError, match="takes an app, a task, a pipeline, a run or a tally, not 'count'"):
        blocking(wrong)
