"""What a step is called with: an item of a list, and the results of the steps before it, by name, as JSON."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from goatherd.engine.step_book import Place
from goatherd.model.pipeline import StepDefinition
from goatherd.model.run_record import WHOLE, Parcel, Turn, UnitClaim
from goatherd.ports.steps import INPUT, Steps

#: Results of one run by step.
Results = Mapping[str, bytes]
_NULL = b"null"


async def read_results(steps: Steps, wanted: Iterable[tuple[str, Sequence[str]]]) -> dict[str, dict[str, bytes]]:
    """The results of some steps of some runs, by run and step, in one look; raises Unavailable."""
    pairs = list(dict.fromkeys((run, step) for run, needed in wanted for step in needed))
    found: dict[str, dict[str, bytes]] = {run: {} for run, _ in pairs}
    if not pairs:
        return found
    for (run, step), result in zip(pairs, await steps.results(pairs), strict=True):
        if result is not None:
            found[run][step] = result
    return found


def needed(step: StepDefinition) -> tuple[str, ...]:
    """Whose results its arguments are."""
    return step.after


def arguments_of(place: Place, unit: UnitClaim | Turn, results: Results) -> bytes:
    """The payload of the function that is run for a unit."""
    task, step = place.task_in(unit.phase), place.step
    values = [_item(step, unit)] if step.is_map else [results.get(name, _NULL) for name in step.after]
    if unit.phase == "compensate" and step.compensation is not None:
        values = [_failure(unit), *values]
    elif step.is_map:
        values += [results.get(name, _NULL) for name in step.after]
    return _object(zip(task.signature.names, values, strict=True))


def payload_for_others(place: Place, turn: Turn, results: Results) -> bytes:
    """The same for workers of others: the members of the run's input stand beside the other arguments."""
    step, task = place.step, place.step.task
    sources = [None, *step.after] if step.is_map else list(step.after)
    values = [_item(step, turn)] if step.is_map else []
    values += [results.get(name, _NULL) for name in step.after]
    if len(values) == 1 and task.signature.positional_only:
        return values[0]
    members: dict[str, msgspec.Raw] = {}
    for name, source, value in zip(task.signature.names, sources, values, strict=True):
        if source == INPUT and value[:1] == b"{":
            members = {**msgspec.json.decode(value, type=dict[str, msgspec.Raw]), **members}
        else:
            members[name] = msgspec.Raw(value)
    return msgspec.json.encode(members)


def result_in(place: Place, remote: str, payload: bytes) -> bytes | None:
    """What a foreign step gave, from the payload of a message for the step after it; None if it does not say."""
    signature, step = place.step.task.signature, place.step
    sources = ([step.over] if step.is_map else []) + list(step.after)
    if len(sources) == 1 and signature.positional_only:
        return payload
    members = msgspec.json.decode(payload, type=dict[str, msgspec.Raw])
    found = members.get(signature.names[sources.index(remote)])
    return None if found is None else bytes(found)


def parcels_of(step: StepDefinition, items: bytes) -> list[Parcel]:
    """A list of items as parcels; raises msgspec.DecodeError if it is no list."""
    listed = [bytes(item) for item in msgspec.json.decode(items, type=list[msgspec.Raw])]
    size = step.batch or 1
    return [
        Parcel(item=first, size=len(part), content=b",".join(part))
        for first in range(0, len(listed), size)
        if (part := listed[first : first + size])
    ]


def single_items(content: bytes) -> list[bytes]:
    """The items of a parcel."""
    return [bytes(item) for item in msgspec.json.decode(b"[" + content + b"]", type=list[msgspec.Raw])]


def _item(step: StepDefinition, unit: UnitClaim | Turn) -> bytes:
    in_list = step.batch is not None and unit.phase == "do"
    return b"[" + unit.content + b"]" if in_list else unit.content


def _failure(unit: UnitClaim | Turn) -> bytes:
    trouble = unit.trouble
    return msgspec.json.encode(
        {
            "step": unit.key.step,
            "item": None if unit.key.item == WHOLE else unit.key.item,
            "error_type": "" if trouble is None else trouble.error_type,
            "message": "" if trouble is None else trouble.message,
            "attempts": 0 if trouble is None else trouble.attempts,
        }
    )


def _object(members: Iterable[tuple[str, bytes]]) -> bytes:
    return b"{" + b",".join(msgspec.json.encode(name) + b":" + value for name, value in members) + b"}"
