"""A broker as a value, on which differences are mended one after the other."""

from dataclasses import replace
from typing import Any

from goatherd.model.blueprint import BindingSpec, Blueprint
from goatherd.model.difference import Difference
from goatherd.model.orphans import is_built_in

_PARTS = {"exchange": "exchanges", "queue": "queues", "policy": "policies"}


def mend(live: Blueprint, wanted: Blueprint, difference: Difference) -> Blueprint:
    """The broker after one change; fails where a broker would refuse."""
    if difference.change == "shadowed":
        return live
    if difference.binding is not None:
        return _mend_way(live, difference.change, difference.binding)
    part = _PARTS[difference.kind]
    rest = tuple(each for each in getattr(live, part) if each.name != difference.name)
    if difference.change == "orphan":
        left: dict[str, Any] = {part: rest}
        return replace(live, **left, bindings=_without(live, difference.kind, difference.name))
    made = next(each for each in getattr(wanted, part) if each.name == difference.name)
    is_there = len(rest) < len(getattr(live, part))
    assert is_there or not difference.change.startswith("replace")
    assert not is_there or difference.change != "create"
    changed: dict[str, Any] = {part: (*rest, made)}
    return replace(live, **changed)


def _mend_way(live: Blueprint, change: str, binding: BindingSpec) -> Blueprint:
    if change == "unbind":
        assert binding in live.bindings
        return replace(live, bindings=tuple(each for each in live.bindings if each != binding))
    assert is_built_in(binding.source) or live.exchange(binding.source)
    ends = live.queue if binding.destination_type == "queue" else live.exchange
    assert ends(binding.destination)
    return replace(live, bindings=(*live.bindings, binding))


def _without(live: Blueprint, kind: str, name: str) -> tuple[BindingSpec, ...]:
    """What is deleted takes its bindings with it."""
    return tuple(
        each
        for each in live.bindings
        if (each.destination_type, each.destination) != (kind, name) and (kind, each.source) != ("exchange", name)
    )
