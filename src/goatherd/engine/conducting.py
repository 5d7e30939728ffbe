"""What is to be done about units that are ready: pure decisions, carried out by the conductor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from goatherd.engine.abroad import Abroad
from goatherd.engine.run_letters import letter_of
from goatherd.engine.step_arguments import Results, arguments_of, needed, parcels_of, payload_for_others
from goatherd.engine.step_book import Place, StepBook
from goatherd.engine.unit_settling import trouble_of
from goatherd.model.message import Message
from goatherd.model.run_record import (
    WHOLE,
    Decision,
    Foresee,
    PassOver,
    Spread,
    Turn,
    UnitKey,
)
from goatherd.model.step_wire import compensation_message, step_message
from goatherd.model.verdict import Fault, dead
from goatherd.ports.clock import Clock

#: Messages in a queue from which on a unit that nobody claims is left alone, for its own may be among so many; and how
#: often. Where fewer wait, one too many does no harm.
LONG_QUEUE, PATIENT_LOOKS = 100, 5


@dataclass
class Score:
    """What is to be done, in this order."""

    #: Those that this version of the program does not know.
    postponed: list[UnitKey] = field(default_factory=list)
    decided: list[Decision] = field(default_factory=list)
    abroad: list[Abroad] = field(default_factory=list)
    messages: list[tuple[UnitKey, Message]] = field(default_factory=list)


class Unfit(Exception):
    """What comes before a step does not fit it."""

    def __init__(self, error: Exception) -> None:
        self.fault_of = error
        super().__init__(str(error))


class Scores:
    """Written for the pipelines of one app."""

    def __init__(self, book: StepBook, clock: Clock) -> None:
        self._book = book
        self._clock = clock

    def needed(self, turns: Sequence[Turn]) -> list[tuple[str, tuple[str, ...]]]:
        """The results, by run and step, without which nothing can be decided."""
        return [(turn.key.run, names) for turn in turns if (names := self._needed(turn))]

    def written(self, turns: Sequence[Turn], results: Mapping[str, Results], depths: Mapping[str, int]) -> Score:
        """What is to be done about all of them; `depths` tells how many messages wait in queues."""
        score = Score()
        for turn in turns:
            place = self._book.find(turn.pipeline, turn.key.step)
            if place is None:
                # Another version of the program has that step.
                score.postponed.append(turn.key)
                continue
            try:
                self._add(score, turn, place, results.get(turn.key.run, {}), depths)
            except Unfit as unfit:
                score.decided.append(self._foreseen(turn, place, unfit.fault_of))
        return score

    def _needed(self, turn: Turn) -> tuple[str, ...]:
        place = self._book.find(turn.pipeline, turn.key.step)
        if place is None:
            return ()
        if _is_head(turn, place):
            return (place.step.over or "",)
        asks = place.step.when is not None and turn.phase == "do"
        return needed(place.step) if asks or self._for_others(turn, place) else ()

    def _add(self, score: Score, turn: Turn, place: Place, results: Results, depths: Mapping[str, int]) -> None:
        task = place.task_in(turn.phase)
        if _is_head(turn, place):
            score.decided.append(_spread(turn, place, results))
        elif place.step.when is not None and turn.phase == "do" and not _wanted(turn, place, results):
            score.decided.append(PassOver(key=turn.key, onward=place.onward, round=turn.round))
        elif 0 < turn.tellings <= PATIENT_LOOKS and depths.get(task.queue, 0) >= LONG_QUEUE and not place.step.remote:
            # It is given again after twice as long. Not for ever: a queue may be long always, and its message lost.
            return
        else:
            self._add_message(score, turn, place, results)

    def _add_message(self, score: Score, turn: Turn, place: Place, results: Results) -> None:
        task, step, now = place.task_in(turn.phase), place.step, self._clock.now()
        if turn.phase == "compensate" and step.compensation is not None:
            # After the failure; where the step takes batches, its own parameter is the name of many.
            item_name = step.compensation.signature.names[1] if step.is_map else ""
            message = compensation_message(
                turn, queue=task.queue, task=task.name, item_name=item_name, step_queue=step.task.queue, now=now
            )
            score.messages.append((turn.key, message))
            return
        payload = payload_for_others(place, turn, results) if self._for_others(turn, place) else None
        if step.remote:
            assert payload is not None, "others must be told all"
            score.abroad.append(Abroad(turn=turn, place=place, payload=payload, answers=self._book.answers))
            return
        message = step_message(turn, queue=task.queue, task=task.name, payload=payload, now=now)
        score.messages.append((turn.key, message))

    def _for_others(self, turn: Turn, place: Place) -> bool:
        return turn.phase == "do" and (place.step.remote or place.step.task.queue in self._book.described)

    def _foreseen(self, turn: Turn, place: Place, error: Exception) -> Foresee:
        fault = Fault.of(error, place.step.task.retry)
        told = f"{place.step.task.name} cannot be begun: {fault.message}"
        burial = dead("invalid", fault.error_type, told, 0, self._clock.now(), fault.traceback).burial
        for_others = place.step.remote or place.step.task.queue in self._book.described
        back = self._book.answers if place.step.remote else ""
        letter = letter_of(place, turn, b"{}", burial, for_others=for_others, back=back)
        return Foresee(key=turn.key, trouble=trouble_of(burial), letter=letter, round=turn.round)


def _is_head(turn: Turn, place: Place) -> bool:
    return place.step.is_map and turn.key.item == WHOLE


def _spread(turn: Turn, place: Place, results: Results) -> Spread:
    step = place.step
    items = results.get(step.over or "", b"null")
    if items == b"null":
        # It was passed over, or gives nothing: there is nothing to do for anything.
        items = b"[]"
    try:
        parcels = parcels_of(step, items)
    except msgspec.DecodeError as error:
        raise Unfit(TypeError(f"{step.over or 'the input'} gave no list, so it has no items: {error}")) from error
    return Spread(key=turn.key, parcels=parcels, at_once=step.at_once, onward=place.onward, round=turn.round)


def _wanted(turn: Turn, place: Place, results: Results) -> bool:
    step, signature = place.step, place.step.task.signature
    assert step.when is not None, "it was asked before"
    try:
        given = signature.read_back(arguments_of(place, turn, results))
        return bool(step.when(*(given[name] for name in signature.names)))
    except Exception as error:  # the user's own test and types may raise anything
        raise Unfit(error) from error
