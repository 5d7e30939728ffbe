"""Types to be compared."""

from enum import Enum, IntEnum
from typing import Generic, NamedTuple, NewType, NotRequired, Protocol, TypedDict, TypeVar

import msgspec
from pydantic import BaseModel
from typing_extensions import TypeAliasType

T = TypeVar("T")


class Animal(msgspec.Struct):
    name: str


class Goat(Animal):
    horns: int = 2


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1


class Named(Protocol):
    name: str


class Page(msgspec.Struct, Generic[T]):
    items: list[T]


class Pair(NamedTuple):
    left: int
    right: str


class Point(TypedDict):
    x: int
    y: NotRequired[int]


class WidePoint(TypedDict):
    x: int
    y: int
    z: str


class FullPoint(TypedDict):
    x: int
    y: int


class Tree(TypedDict):
    children: "list[Tree]"


class OtherTree(TypedDict):
    children: "list[OtherTree]"


class Model(BaseModel):
    number: int


class BigModel(Model):
    more: str = ""


class Goats(list[Goat]): ...


Key = NewType("Key", str)
SmallKey = NewType("SmallKey", Key)
Numbers = TypeAliasType("Numbers", list[int])
Nested = TypeAliasType("Nested", "list[Nested] | int")  # as `type Nested = ...` of Python 3.12
