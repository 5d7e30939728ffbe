"""Steps that programs of others do: what they answer, what they send on, and runs that they begin."""

from collections.abc import Awaitable, Callable

import msgspec

from goatherd.engine.step_arguments import result_in
from goatherd.engine.step_book import Place, StepBook
from goatherd.model.run_record import WHOLE, Arrived, UnitKey
from goatherd.model.signature import Misfit
from goatherd.model.step_wire import StepNote
from goatherd.model.trace_context import Carrier

#: Begins a run under an id, with an input and a trace; false if the id is taken. Raises Unavailable.
Begin = Callable[[Place, StepNote, Carrier], Awaitable[bool]]


class Misread(Exception):
    """A message of somebody else says what cannot be."""


class ForeignSteps:
    """What messages of others mean."""

    def __init__(self, book: StepBook, begin: Begin) -> None:
        self._book = book
        self._begin = begin

    def may_precede(self, place: Place) -> bool:
        """Whether a step before this one is done by others."""
        return any(place.pipeline.steps[name].remote for name in place.step.before)

    def arrived_before(self, place: Place, note: StepNote) -> list[Arrived]:
        """What a message for a step says of foreign steps before it: they are done; raises Misread."""
        remote = [name for name in place.step.before if place.pipeline.steps[name].remote]
        return [each for name in remote if (each := self._arrived(place, name, note)) is not None]

    def answer_in(self, note: StepNote) -> Arrived:
        """A foreign worker's answer; raises Misread."""
        places = [place for place in self._book.remote if place.step.name == note.step]
        if note.pipeline:
            places = [place for place in places if place.pipeline.name == note.pipeline]
        if len(places) != 1:
            raise Misread(f"an answer names the step {note.step!r}, which no foreign worker does here")
        return _done(places[0], note.key, bytes(note.payload))

    async def adopt(self, place: Place, note: StepNote, carrier: Carrier) -> bool:
        """Begin a run with a message of somebody else for a first step; false if it is none; raises Misread."""
        task = place.step.task
        if place.step.before or place.step.is_map or task.queue not in self._book.described:
            return False
        try:
            place.pipeline.takes.decode(note.payload)
        except Misfit as misfit:
            raise Misread(f"the payload is no input of {place.pipeline.name!r}: {misfit}") from misfit
        return await self._begin(place, note, carrier)

    def _arrived(self, place: Place, remote: str, note: StepNote) -> Arrived | None:
        before = Place(place.pipeline, place.pipeline.steps[remote])
        if before.step.is_map:
            # Each of its items is answered for itself.
            return None
        try:
            result = result_in(place, remote, bytes(note.payload))
        except msgspec.DecodeError as error:
            raise Misread(f"the payload for {place.step.name!r} is no JSON object: {error}") from error
        return None if result is None else _done(before, UnitKey(note.task_id, remote), result)


def _done(place: Place, key: UnitKey, result: bytes) -> Arrived:
    task, step = place.step.task, place.step
    if step.is_map != (key.item != WHOLE):
        raise Misread(f"{task.name} is done {'item by item' if step.is_map else 'as a whole'}: check the item")
    try:
        task.signature.decode_result(result)
    except Exception as error:  # the user's own types may raise anything while they are read
        raise Misread(f"the result of {task.name} does not fit: {error}") from error
    in_list = step.batch is not None
    return Arrived(key=key, result=result.strip()[1:-1] if in_list else result, onward=place.onward)
