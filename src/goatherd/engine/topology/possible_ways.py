"""Ways that are wanted and can be made now."""

from collections.abc import Iterator

from goatherd.model.blueprint import BindingSpec, Blueprint
from goatherd.model.orphans import is_built_in


def ways_that_can_be(wanted: Blueprint, live: Blueprint, name: str) -> Iterator[BindingSpec]:
    """Those whose ends are there, or are what is being made; the others are made when theirs are."""
    for way in wanted.bindings:
        ends = live.queue if way.destination_type == "queue" else live.exchange
        has_source = way.source == name or is_built_in(way.source) or live.exchange(way.source) is not None
        if way.source and has_source and (way.destination == name or ends(way.destination) is not None):
            yield way
