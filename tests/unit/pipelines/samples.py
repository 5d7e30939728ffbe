"""Functions to make steps of, and what is said when they do not fit."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from goatherd.errors import DefinitionError

#: Type checkers see most of the mistakes; here they must not.
AnyPipeline: TypeAlias = Any


async def numbers(count: int) -> list[int]:
    return list(range(count))


async def word(number: int) -> str:
    return str(number)


async def words(some: list[int]) -> list[str]:
    return [str(number) for number in some]


async def joined(some: list[str]) -> str:
    return "".join(some)


def told(p: AnyPipeline) -> str:
    with pytest.raises(DefinitionError) as caught:
        _ = p.definition
    return str(caught.value)


def refused(declare: Callable[[], Any]) -> str:
    with pytest.raises(DefinitionError) as caught:
        declare()
    return str(caught.value)
