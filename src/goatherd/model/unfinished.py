"""Replacements that were begun and not finished, as their stand-ins tell."""

from goatherd.model.blueprint import BindingSpec, Blueprint
from goatherd.model.difference import Scope
from goatherd.model.stand_in import stand_in_of


def exchange_unfinished(name: str, live: Blueprint) -> str:
    """Why an exchange is still to be seen to; nothing if it is not."""
    stand_in = stand_in_of(name)
    if live.exchange(stand_in) is None:
        return ""
    return f"its replacement was begun and not finished: {stand_in!r} stands in for it"


def queue_unfinished(name: str, live: Blueprint, scope: Scope) -> str:
    """Why a queue is still to be seen to; nothing if it is not."""
    stand_in = stand_in_of(name)
    if live.queue(stand_in) is None:
        return ""
    count = scope.crowd(stand_in).messages
    waiting = "" if count is None else f", with {count} messages"
    return f"its replacement was begun and not finished: {stand_in!r} stands in for it{waiting}"


def leads_to_unfinished(binding: BindingSpec, live: Blueprint) -> bool:
    """Whether one end of a way is still being replaced, so that the way is made with it."""
    if live.exchange(stand_in_of(binding.source)) is not None:
        return True
    end = stand_in_of(binding.destination)
    return (live.queue(end) if binding.destination_type == "queue" else live.exchange(end)) is not None
