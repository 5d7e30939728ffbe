"""Take of a file what an app's code does not say, and does not contradict."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from goatherd.cli.topology_reading import TopologyFile
from goatherd.model.blueprint import Blueprint, QueueSpec
from goatherd.model.definition import Definition
from goatherd.model.orphans import is_built_in
from goatherd.model.survey import Survey


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What is new in a file."""

    blueprint: Blueprint
    #: How many things the app's code says already, in the same words.
    known: int
    #: What was passed over, as sentences.
    left_out: tuple[str, ...]


def take_in(definition: Definition, file: TopologyFile) -> Taken:
    """Raises DefinitionError where the file contradicts the app."""
    kept, passing = lasting(definition, file)
    code = definition.blueprint
    code.merged(kept, here="the app", there=file.name)
    new = _without(kept, code)
    return Taken(blueprint=new, known=_size(kept) - _size(new), left_out=(*file.notes, *passing))


def lasting(definition: Definition, file: TopologyFile) -> tuple[Blueprint, list[str]]:
    """What stays, and sentences about what only comes and goes, such as queues for answers."""
    there = file.blueprint
    patterns = definition.scope(Survey(blueprint=there)).passing
    gone = {each.name for each in there.queues if _passes(each, definition.blueprint, patterns)}
    built_in = {each.name for each in there.exchanges if is_built_in(each.name)}
    sentences = [f"{file.name}: the queue {name!r} comes and goes; it is passed over." for name in sorted(gone)]
    sentences += [
        f"{file.name}: every broker has the exchange {name!r}; it is passed over." for name in sorted(built_in)
    ]
    kept = replace(
        there,
        exchanges=tuple(each for each in there.exchanges if each.name not in built_in),
        queues=tuple(each for each in there.queues if each.name not in gone),
        bindings=tuple(
            each
            for each in there.bindings
            # The broker itself binds every queue to its default exchange.
            if each.source and not (each.destination_type == "queue" and each.destination in gone)
        ),
    )
    return kept, sentences


def _passes(queue: QueueSpec, wanted: Blueprint, patterns: Iterable[str]) -> bool:
    if wanted.queue(queue.name) is not None:
        return False
    return queue.name.startswith("amq.") or any(re.fullmatch(pattern, queue.name) for pattern in patterns)


def _without(file: Blueprint, code: Blueprint) -> Blueprint:
    return Blueprint(
        vhost=file.vhost,
        exchanges=tuple(each for each in file.exchanges if code.exchange(each.name) is None),
        queues=tuple(each for each in file.queues if code.queue(each.name) is None),
        bindings=tuple(each for each in file.bindings if each not in code.bindings),
        policies=tuple(each for each in file.policies if code.policy(each.name) is None),
    )


def _size(blueprint: Blueprint) -> int:
    parts = (blueprint.exchanges, blueprint.queues, blueprint.bindings, blueprint.policies)
    return sum(map(len, parts))
