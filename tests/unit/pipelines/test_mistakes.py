"""What is declared wrongly is told where it stands: what is wrong, of what, and what to do."""

from typing import Any

import pytest

from goatherd import Failure, Goatherd
from tests.unit.pipelines.samples import AnyPipeline, refused, word


def test_names_are_given_once(app: Goatherd, p: AnyPipeline) -> None:
    p.step(after=p.input)(word)
    assert "two steps named 'word'; give one of them another name=" in refused(lambda: p.step(after=p.input)(word))
    assert "two pipelines named 'p'" in refused(lambda: app.pipeline("p", takes=int))


def test_steps_come_after_steps_of_their_own_pipeline(app: Goatherd, p: AnyPipeline) -> None:
    other: AnyPipeline = app.pipeline("other", takes=int, gives=str)
    theirs = other.step(after=other.input)(word)
    text = refused(lambda: p.step(after=theirs))
    assert "after= names <Step other.word>, which belongs to another pipeline than 'p'" in text
    assert "over= names <Step other.input>" in refused(lambda: p.map(over=other.input))
    assert "<Step other.word>" in refused(lambda: p.map(over=p.input, after=(p.input, theirs)))


@pytest.mark.parametrize("wrong", ["word", None, word])
def test_steps_come_after_steps(p: AnyPipeline, wrong: Any) -> None:
    assert "takes steps of the pipeline 'p', which are what its decorators return" in refused(
        lambda: p.step(after=wrong)
    )
    assert "over= takes steps" in refused(lambda: p.map(over=wrong))


def test_steps_come_after_something(p: AnyPipeline) -> None:
    assert "comes after nothing; its first steps come after the pipeline's `input`" in refused(lambda: p.step(after=()))
    assert "over several steps" in refused(lambda: p.map(over=(p.input, p.input)))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"quue": "x"}, "quue=, which is not an option of a step; did you mean queue=?"),
        ({"deadline": 3}, "deadline=, which is not an option of a step; there are name, queue"),
        ({"name": ""}, "name=''; give printable text"),
        ({"timeout": 0}, "timeout=0"),
        ({"timeout": "soon"}, "timeout: 'soon' is not a span of time"),
        ({"retry": 3}, "write retry=Retry(3)"),
        ({"concurrency": 0}, "concurrency=0"),
        ({"executor": "gpu"}, "executor='gpu'; it is 'thread' or 'process'"),
        ({"executor": "process"}, "async function with executor='process'"),
    ],
)
def test_options(p: AnyPipeline, options: dict[str, Any], text: str) -> None:
    assert text in refused(lambda: p.step(after=p.input, **options)(word))
    assert text in refused(lambda: p.map(over=p.input, **options)(word))


def test_only_items_can_be_left_out(p: AnyPipeline) -> None:
    options: Any = {"on_failure": "skip"}
    assert "only an item of a map can be left out" in refused(lambda: p.step(after=p.input, **options))


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "2"])
def test_numbers_of_items(p: AnyPipeline, wrong: Any) -> None:
    assert f"batch={wrong!r}; it is a whole number from 1" in refused(lambda: p.map(over=p.input, batch=wrong))
    assert f"concurrency={wrong!r}; it is a whole" in refused(lambda: p.map(over=p.input, concurrency=wrong))


async def anything(number: int, text: str | None) -> Any: ...


async def later(number: int) -> bool:
    return number > 3


@pytest.mark.parametrize(
    ("test", "text"),
    [
        (later, "that is async"),
        (lambda: True, "that cannot be called with 1 argument, the results of after="),
        (lambda one, two: True, "that cannot be called with 1 argument"),
        (True, "that is no function: True"),
    ],
)
def test_tests_of_steps(p: AnyPipeline, test: Any, text: str) -> None:
    assert text in refused(lambda: p.step(after=p.input).when(test))


def test_tests_that_do_not_say_what_they_take(p: AnyPipeline) -> None:
    first = p.step(after=p.input, name="first").when(bool)(word)
    second = p.step(after=(p.input, first), name="second").when(max)(anything)
    p.step(after=(p.input, second))(anything)
    assert [step.when for step in p.definition.steps.values()] == [bool, max, None]


def test_one_stand_in_for_a_step(p: AnyPipeline) -> None:
    step = p.step(after=p.input)(word)

    async def first(failure: Failure, number: int) -> str:
        return ""

    step.compensate(first)
    assert "has two functions under @word.compensate" in refused(lambda: step.compensate(first))


def test_steps_are_functions(p: AnyPipeline) -> None:
    async def generator(number: int) -> Any:
        yield number

    assert "is not a function" in refused(lambda: p.step(after=p.input)(3))
    assert "is a generator" in refused(lambda: p.step(after=p.input)(generator))
