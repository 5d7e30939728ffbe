"""The content of a database: a tree without empty branches."""

import json
import random
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

#: A branch by the keys of its children, or a leaf.
Node: TypeAlias = Any

_ALPHABET = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"


class Tree:
    """What was written, as the database keeps it."""

    def __init__(self) -> None:
        self._root: Node = None
        self._last_push = (0, 0)

    def get(self, path: Sequence[str]) -> Node:
        """What is there; None for nothing."""
        node = self._root
        for part in path:
            node = node.get(part) if isinstance(node, dict) else None
        return node

    def put(self, path: Sequence[str], value: Node) -> None:
        """Write something in the place of all that was there; None takes it away."""
        self._root = _written(self._root, path, _tidy(value))

    def push_key(self) -> str:
        """A new key, later than all before it: eight characters of time and twelve that tell apart."""
        now = time.time_ns() // 1_000_000
        count = self._last_push[1] + 1 if self._last_push[0] == now else random.getrandbits(60)
        self._last_push = (now, count)
        return "-" + _spelled(now, 8)[1:] + _spelled(count, 12)


def shown(node: Node) -> Node:
    """As the database tells it: where most keys are 0, 1, 2 …, children are a list."""
    if not isinstance(node, dict):
        return node
    told = {key: shown(child) for key, child in node.items()}
    numbers = [int(key) for key in told if key.isascii() and key.isdecimal() and str(int(key)) == key]
    if len(numbers) == len(told) and len(numbers) * 2 > max(numbers) + 1:
        return [told.get(str(number)) for number in range(max(numbers) + 1)]
    return told


def chosen(node: Node, query: Mapping[str, str]) -> Node:
    """What a query by key wants of the children."""
    if not isinstance(node, dict):
        return node
    if query.get("shallow") == "true":
        return dict.fromkeys(node, True)
    if query.get("orderBy") != '"$key"':
        return node
    keys = sorted(node, key=_order)
    if "startAt" in query:
        first = _order(json.loads(query["startAt"]))
        keys = [key for key in keys if _order(key) >= first]
    if "limitToFirst" in query:
        keys = keys[: int(query["limitToFirst"])]
    return {key: node[key] for key in keys}


def _written(node: Node, path: Sequence[str], value: Node) -> Node:
    if not path:
        return value
    branch = dict(node) if isinstance(node, dict) else {}
    child = _written(branch.get(path[0]), path[1:], value)
    if child is None:
        branch.pop(path[0], None)
    else:
        branch[path[0]] = child
    return branch or None


def _tidy(value: Node) -> Node:
    if isinstance(value, list):
        value = {str(number): child for number, child in enumerate(value)}
    if isinstance(value, dict):
        tidy = {key: kept for key, child in value.items() if (kept := _tidy(child)) is not None}
        return tidy or None
    return value


def _order(key: str) -> tuple[int, int, str]:
    return (0, int(key), "") if key.isascii() and key.removeprefix("-").isdecimal() else (1, 0, key)


def _spelled(number: int, width: int) -> str:
    told = ""
    for _ in range(width):
        number, digit = divmod(number, 64)
        told = _ALPHABET[digit] + told
    return told
