from typing import Any

import pytest

from goatherd.errors import DefinitionError
from goatherd.model.retry import Retry
from goatherd.model.task import Declaration


def plain() -> None: ...


async def waiting() -> None: ...


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"priority": 10}, "priority=10; it must be from 0"),
        ({"timeout": 0.0}, "timeout=0.0; it must be above 0"),
        ({"deadline": -1.0}, "deadline=-1.0; it must be above 0"),
        ({"concurrency": 0}, "concurrency=0; it must be above 0"),
        ({"retry": 3}, r"write retry=Retry\(3\)"),
        ({"executor": "gpu"}, "it is 'thread' or 'process'"),
        ({"name": ""}, "empty name="),
        ({"function": waiting, "executor": "process"}, "async code runs on the event loop"),
    ],
)
def test_a_wrong_declaration_is_told_when_it_is_made(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(DefinitionError, match=told):
        Declaration(**{"name": "resize", "function": plain, **wrong})


@pytest.mark.parametrize(
    ("declared", "place"),
    [
        ({"function": waiting}, "loop"),
        ({"function": plain}, "thread"),
        ({"function": plain, "executor": "process"}, "process"),
    ],
)
def test_the_kind_of_function_says_where_it_runs(declared: dict[str, Any], place: str) -> None:
    assert Declaration(name="it", retry=Retry(1), **declared).place == place
