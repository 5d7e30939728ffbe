"""Steps that do not fit each other are told of before the first run."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from goatherd import Failure, Goatherd, Retry
from goatherd.errors import DefinitionError
from goatherd.model.pipeline_check import check_pipeline
from tests.unit.pipelines.samples import AnyPipeline, joined, numbers, told, word, words


async def test_opening_the_app_tells_of_it(app: Goatherd, p: AnyPipeline) -> None:
    with pytest.raises(DefinitionError, match=r"The pipeline 'p' has no steps; declare its first with @p\.step"):
        async with app:
            pass
    p.step(after=p.input)(word)
    async with app:
        pass


def test_a_pipeline_has_a_name(app: Goatherd) -> None:
    assert "the name ''; give it one of printable text" in told(app.pipeline("", takes=int))


def test_an_input_can_be_read(app: Goatherd) -> None:
    assert "'input' of task 'p' is a Goatherd, which cannot be read from JSON" in told(
        app.pipeline("p", takes=Goatherd)
    )


def test_one_step_is_the_last(p: AnyPipeline) -> None:
    first = p.step(after=p.input)(numbers)
    p.step(after=p.input)(word)
    p.map(over=first, name="third")(word)
    text = told(p)
    assert "Nothing comes after the steps 'word', 'third' of pipeline 'p'" in text
    assert "Add a step after=(word, third)" in text


def test_the_last_step_gives_what_the_pipeline_gives(app: Goatherd, p: AnyPipeline) -> None:
    p.step(after=p.input)(numbers)
    text = told(p)
    assert "'numbers', gives list[int], but the pipeline says that a run gives str" in text
    nothing: AnyPipeline = app.pipeline("nothing", takes=int)
    nothing.step(after=nothing.input)(word)
    assert "'word', gives str, but the pipeline says that a run gives None" in told(nothing)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (int, "int, but"),
        (float, "float, but"),
        (list[str], "list[str], but"),
        (Sequence[bytes], "Sequence[bytes], but"),
        (str | None, None),
        (Any, None),
        (Sequence[str], "Sequence[str], but"),
    ],
    ids=str,
)
def test_types_of_arguments(p: AnyPipeline, given: Any, wanted: str | None) -> None:
    first = p.step(after=p.input)(word)

    async def second(text: Any) -> str:
        return str(text)

    second.__annotations__["text"] = given
    p.step(after=first)(second)
    if wanted is None:
        assert p.definition.last == "second"
    else:
        text = told(p)
        assert f"Step 'second' of pipeline 'p' takes 'text' as {wanted} the result of 'word' is str" in text
        assert "Arguments come in the order of after=" in text


def test_the_order_of_arguments(p: AnyPipeline) -> None:
    first = p.step(after=p.input)(word)

    async def second(text: str, number: int) -> str:
        return text * number

    p.step(after=(p.input, first))(second)
    assert "takes 'text' as str, but the run's input is int" in told(p)


@pytest.mark.parametrize("count", [0, 2, 3])
def test_numbers_of_arguments(p: AnyPipeline, count: int) -> None:
    first = p.step(after=p.input)(word)
    functions: Sequence[Callable[..., Any]] = [lambda: "", lambda a: "", lambda a, b: "", lambda a, b, c: ""]

    p.step(after=first, name="second")(functions[count])
    text = told(p)
    assert "Step 'second' of pipeline 'p' is called with 1 argument, the results of after=" in text
    assert f"takes {count} ({', '.join('abc'[:count]) or 'nothing'})" in text


def test_arguments_that_have_names_only(p: AnyPipeline) -> None:
    async def word(number: int, *, width: int) -> str:
        return str(number).rjust(width)

    p.step(after=p.input)(word)
    assert "takes 'width' by name only, but it is called with the results of after=" in told(p)


def test_a_step_that_may_be_passed_over_gives_none(p: AnyPipeline) -> None:
    first = p.step(after=p.input).when(lambda number: number > 3)(word)

    async def second(text: str) -> str:
        return text

    p.step(after=first)(second)
    assert "takes 'text' as str, but the result of 'word' is str | None" in told(p)


def test_the_last_step_may_not_be_passed_over_where_a_result_is_promised(p: AnyPipeline) -> None:
    p.step(after=p.input).when(lambda number: number > 3)(word)
    assert "'word', gives str | None, but the pipeline says that a run gives str" in told(p)


def test_a_task_of_its_own_format_is_no_step(app: Goatherd, p: AnyPipeline) -> None:
    app.queue("plain", format="plain")
    p.step(after=p.input, queue="plain")(word)
    assert "is on queue 'plain', which is described with another format than 'native'" in told(p)


@pytest.mark.parametrize("queue", [None, "stand-ins"])
async def test_a_message_means_a_step_or_a_task(app: Goatherd, p: AnyPipeline, queue: str | None) -> None:
    step = p.step(after=p.input)(word)

    async def empty(failure: Failure, number: int) -> str:
        return ""

    step.compensate(queue="stand-ins")(empty)
    app.task(name="word", queue="elsewhere")(word)
    async with app:
        pass
    app.task(name="other")(word)
    app.task(name="p.word")(word)
    async with app:
        pass
    other = Goatherd("other", broker_url=app.settings.broker_url)
    q: AnyPipeline = other.pipeline("q", takes=int, gives=str)
    q.step(after=q.input)(word).compensate(queue="stand-ins")(empty)
    other.task(queue=queue)(word)
    with pytest.raises(
        DefinitionError, match=rf"'word' of pipeline 'q' and the task 'word' .* queue '{queue or 'other'}'"
    ):
        async with other:
            pass


# --- maps --------------------------------------------------------------------------------------------------------


def test_a_map_is_over_a_list(p: AnyPipeline) -> None:
    first = p.step(after=p.input)(word)
    p.map(over=first, name="second")(word)
    assert "Step 'second' of pipeline 'p' is a map over the result of 'word', which gives str and no list" in told(p)


def test_a_map_is_not_over_a_list_that_may_be_missing(p: AnyPipeline) -> None:
    first = p.step(after=p.input).when(lambda number: True)(numbers)
    p.map(over=first)(word)
    assert "which gives list[int] | None and no list" in told(p)


def test_a_map_takes_items(p: AnyPipeline) -> None:
    first = p.step(after=p.input)(numbers)
    p.map(over=first)(words)
    assert "takes 'some' as list[int], but an item of the result of 'numbers' is int" in told(p)


def test_a_batch_is_a_list_in_and_out(app: Goatherd, p: AnyPipeline) -> None:
    first = p.step(after=p.input)(numbers)
    p.map(over=first, batch=2)(word)
    assert "takes 'number' as int, but a batch of the result of 'numbers' is list[int]" in told(p)
    other: AnyPipeline = app.pipeline("other", takes=int, gives=list[str])
    first = other.step(after=other.input)(numbers)

    async def counted(some: list[int]) -> int:
        return len(some)

    other.map(over=first, batch=2)(counted)
    assert "done for batches of 2, so it gives a list of as many results, but its function gives int" in told(other)


def test_those_after_a_map_get_one_list(app: Goatherd) -> None:
    right: AnyPipeline = app.pipeline("right", takes=int, gives=str)
    single = right.map(over=right.step(after=right.input)(numbers))(word)
    right.step(after=single)(joined)
    assert right.definition.last == "joined"
    wrong: AnyPipeline = app.pipeline("wrong", takes=int, gives=str)
    batched = wrong.map(over=wrong.step(after=wrong.input)(numbers), batch=3)(words)
    wrong.step(after=batched, name="again")(words)
    assert "'again' of pipeline 'wrong' takes 'some' as list[int], but the result of 'words' is list[str]" in told(
        wrong
    )


def test_a_map_is_done_here(p: AnyPipeline) -> None:
    p.map(over=p.step(after=p.input)(numbers), remote=True)(word)
    assert "is a map with remote=True" in told(p)


def test_items_are_left_out_or_stood_in_for(p: AnyPipeline) -> None:
    step = p.map(over=p.step(after=p.input)(numbers), on_failure="skip")(word)

    async def empty(failure: Failure, number: int) -> str:
        return ""

    step.compensate(empty)
    assert "has on_failure='skip' and a function under .compensate" in told(p)


def test_what_can_be_done_about_failures(p: AnyPipeline) -> None:
    options: Any = {"on_failure": "ignore"}
    p.map(over=p.step(after=p.input)(numbers), **options)(word)
    assert "on_failure='ignore'; it is 'fail' or 'skip'" in told(p)


# --- stand-ins ---------------------------------------------------------------------------------------------------


def no_failure(number: int) -> str:
    return ""


def wrong_first(failure: str, number: int) -> str:
    return ""


def wrong_item(failure: Failure, number: list[int]) -> str:
    return ""


def wrong_result(failure: Failure, number: int) -> int:
    return 0


def fine(failure: Failure, number: float) -> str:
    return ""


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (no_failure, "is called with 2 arguments, the failure and"),
        (wrong_first, "The stand-in 'wrong_first' for step 'word' of pipeline 'p' takes 'failure' as str, but"),
        (wrong_item, "takes 'number' as list[int], but"),
        (wrong_result, "gives int, but what it stands in for is str"),
    ],
)
@pytest.mark.parametrize("as_map", [True, False])
def test_stand_ins(app: Goatherd, p: AnyPipeline, function: Any, text: str, as_map: bool) -> None:
    if as_map:
        p.map(over=p.step(after=p.input)(numbers), retry=Retry(0))(word).compensate(function)
    else:
        p.step(after=p.input)(word).compensate(function)
    assert text in told(p)


@pytest.mark.parametrize("batch", [True, False])
def test_a_stand_in_gets_one_item_and_gives_one_result(app: Goatherd, batch: bool) -> None:
    p: AnyPipeline = app.pipeline("p", takes=int, gives=list[str])
    first = p.step(after=p.input)(numbers)
    step: Any = p.map(over=first, after=p.input, batch=2) if batch else p.map(over=first, after=p.input)

    async def in_batches(some: list[int], count: int) -> list[str]:
        return [str(number) for number in some]

    async def one_by_one(number: int, count: int) -> str:
        return str(number)

    step(in_batches if batch else one_by_one).compensate(fine)
    stand_in = p.definition.steps[p.definition.last].compensation
    assert stand_in is not None
    assert stand_in.signature.names == ("failure", "number")


def test_every_text_says_what_to_do(p: AnyPipeline) -> None:
    """A sentence that ends, about a thing that has a name."""
    text = told(p)
    assert re.search(r"'p'.*\.$", text)


def test_no_step_waits_for_itself(p: AnyPipeline) -> None:
    """Steps must be there before others come after them, so it takes a definition that nobody can write."""
    p.step(after=p.step(after=p.step(after=p.input)(numbers))(words))(joined)
    steps = list(p.definition.steps.values())
    circle = [replace(steps[0], after=("words",)), *steps[1:]]
    with pytest.raises(DefinitionError, match=r"'numbers' of pipeline 'p' comes after 'words', .* for ever"):
        check_pipeline("p", circle, p.definition.takes)
