"""What may be said with `app.listeners(...)`, and what is told about what may not."""

from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NewType

import pytest

from goatherd import Context, Goatherd
from goatherd.errors import DefinitionError

Setting = NewType("Setting", int)


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    return Goatherd("arcade", broker_url=f"sqlite:///{tmp_path}/jobs.db")


async def names() -> list[int]:
    return [1]


async def telling() -> AsyncIterator[list[int]]:
    yield [1]


def plain() -> list[int]:
    return [1]


class Source:
    async def ask(self) -> list[int]:
        return [1]

    async def tell(self) -> AsyncIterator[list[int]]:
        yield [1]

    async def __call__(self) -> list[int]:
        return [1]


async def some(count: int) -> list[int]:
    return list(range(count))


@pytest.mark.parametrize("source", [names, Source().ask, Source(), partial(some, 3)])
def test_a_source_that_is_asked(app: Goatherd, source: Callable[[], Coroutine[Any, Any, list[int]]]) -> None:
    @app.listeners("q-{}", source)
    async def join(name: int) -> None: ...

    [listened] = app.listener_book.listened()
    assert listened.source.ask is source


@pytest.mark.parametrize("source", [telling, Source().tell])
def test_a_source_that_tells_of_itself(app: Goatherd, source: Callable[[], AsyncIterator[list[int]]]) -> None:
    @app.listeners("q-{}", source)
    async def join(name: int) -> None: ...

    [listened] = app.listener_book.listened()
    assert listened.source.tell is source


@pytest.mark.parametrize("source", [[1, 2, 2], (1, 2), {1, 2}, range(1, 3)])
def test_names_once_and_for_all(app: Goatherd, source: list[int]) -> None:
    @app.listeners("q-{}", source)
    async def join(name: int) -> None: ...

    [listened] = app.listener_book.listened()
    assert sorted(listened.fixed_queues) == ["q-1", "q-2"]


@pytest.mark.parametrize("source", [plain, "names", b"names", None, 5, {"a": 1}, telling(), lambda: ["a"], list])
def test_a_source_of_another_kind_is_refused(app: Goatherd, source: Any) -> None:
    with pytest.raises(DefinitionError, match=r"The source of app\.listeners"):
        app.listeners("q-{}", source)


@pytest.mark.parametrize(
    "said", [{"pattern": "q"}, {"pattern": "{}{}"}, {"format": "taskiq"}, {"every": 0}, {"every": -1}]
)
def test_what_makes_no_sense_is_refused(app: Goatherd, said: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        app.listeners(**{"pattern": "q-{}", "source": names, **said})


def test_the_first_argument_is_the_name(app: Goatherd) -> None:
    @app.listeners("a-{}", names)
    async def with_context(ctx: Context, name: int) -> None: ...

    @app.listeners("b-{}", names)  # type: ignore[arg-type]  # a kind of number
    async def with_new_type(name: Setting) -> None: ...

    @app.listeners("c-{}", ["x"])
    def with_note(name: Annotated[str, "which"], more: float) -> None: ...

    kinds = [each.task.family.pattern.kind for each in app.listener_book.listened() if each.task.family]
    assert kinds == [int, int, str]


def test_a_first_argument_that_is_no_name_is_refused(app: Goatherd) -> None:
    async def nothing() -> None: ...
    async def only_context(ctx: Context) -> None: ...
    async def unsaid(name) -> None: ...  # type: ignore[no-untyped-def]
    async def either(name: str | int) -> None: ...
    async def truth(name: bool) -> None: ...
    async def several(*names: int) -> None: ...

    for number, function in enumerate((nothing, only_context, unsaid, either, truth, several)):
        fresh = Goatherd("arcade", broker_url=app.settings.broker_url)
        fresh.listeners(f"q{number}-{{}}", names)(function)  # type: ignore[call-overload]
        with pytest.raises(DefinitionError, match=function.__name__):
            fresh.definitions()


def test_a_name_that_cannot_be_one_is_told_at_the_start(app: Goatherd) -> None:
    @app.listeners("q-{}", ["good", "b#d"])
    async def join(name: str) -> None: ...

    with pytest.raises(DefinitionError, match=r"'b#d' is no name for 'q-\{\}'"):
        app.contracts()


def test_the_body_of_a_plain_message_is_the_one_argument_beside_the_name(app: Goatherd) -> None:
    @app.listeners("a-{}", names, format="plain")
    async def whole(name: int, body: list[int], /) -> None: ...

    @app.listeners("b-{}", names, format="plain")
    async def by_name(name: int, /, body: list[int]) -> None: ...

    @app.listeners("c-{}", names, format="plain")
    async def two(name: int, one: int, other: int, /) -> None: ...

    @app.listeners("d-{}", names, format="plain")
    async def nothing(name: int, /) -> None: ...

    assert whole.job(1, [2]).payload == b"[2]"
    assert by_name.job(1, body=[2]).payload == b'{"body":[2]}'
    assert two.job(1, 2, 3).payload == b'{"one":2,"other":3}'
    assert nothing.job(1).payload == b"{}"


def test_two_tasks_on_one_queue_are_refused_where_that_is_known(app: Goatherd) -> None:
    def fresh() -> Goatherd:
        return Goatherd("arcade", broker_url=app.settings.broker_url)

    one = fresh()
    one.task(queue="q-a")(plain_task)
    one.listeners("q-{}", ["a"])(on_name)
    two = fresh()
    two.listeners("q-{}", ["a", "b"])(on_name)
    two.listeners("{}", ["q-b"])(on_other_name)
    three = fresh()
    three.listeners("q-{}", telling_names)(on_name)
    three.listeners("q-{}", telling_names)(on_other_name)
    four = fresh()
    four.queue("q-a", format="plain")
    four.listeners("q-{}", ["a"])(on_name)
    for wrong in (one, two, three):
        with pytest.raises(DefinitionError, match="belongs to one task alone"):
            wrong.contracts()
    with pytest.raises(DefinitionError, match="Say the same in both places"):
        four.contracts()
    # Different names of one pattern are different queues.
    five = fresh()
    five.listeners("{}", ["a", "b"])(on_name)
    five.listeners("{}", ["c"])(on_other_name)
    assert [queue.name for queue in five.contracts()] == ["a", "b", "c"]


async def plain_task() -> None: ...
async def on_name(name: str) -> None: ...
async def on_other_name(name: str) -> None: ...
async def telling_names() -> list[str]:
    return []
