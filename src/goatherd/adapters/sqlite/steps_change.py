"""One atomic change to runs: its time, the runs that it meets, and what it brought about."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import apsw
import msgspec

from goatherd.adapters.sqlite.queries import rows, run
from goatherd.model.ids import new_id
from goatherd.model.run_record import Advance, Phase, RunState, Trouble, UnitKey, UnitState

encode_trouble = msgspec.msgpack.Encoder().encode
_decode_trouble = msgspec.msgpack.Decoder(Trouble).decode


def read_trouble(kept: bytes | None) -> Trouble | None:
    """Why something failed, if it did."""
    return None if kept is None else _decode_trouble(kept)


@dataclass(slots=True)
class RunRow:
    """A run as the file has it."""

    id: int
    name: str
    pipeline: str
    state: RunState
    trace: str
    priority: int
    created: float
    ended: float | None


class UnitRow(NamedTuple):
    """A unit as the file has it."""

    id: int
    item: int
    place: int
    state: UnitState
    phase: Phase
    size: int
    content: bytes
    failures: int
    deaths: int
    trouble: bytes | None
    round: int
    token: int
    settled: int
    lease: float | None
    accepted: float
    total: int | None


class Change:
    """Used within one transaction."""

    def __init__(self, connection: apsw.Connection, now: float) -> None:
        self.connection = connection
        self.now = now
        self.microseconds = int(now * 1_000_000)
        #: Whether units became ready.
        self.ready = False
        #: Whether runs have ended, or letters were left.
        self.ended = False
        self._runs: dict[str, RunRow | None] = {}
        #: Steps that moved, each once, in the order in which they did.
        self._moved: dict[tuple[str, str], RunRow] = {}

    def run(self, name: str) -> RunRow | None:
        """The run, if there is one; asked for only once."""
        if name not in self._runs:
            found = rows(self.connection, "get_run", (name,))
            self._runs[name] = RunRow(*found[0]) if found else None
        return self._runs[name]

    def unit(self, run: RunRow, key: UnitKey) -> UnitRow | None:
        """One unit of a run."""
        found = rows(self.connection, "get_unit", (run.id, key.step, key.item))
        return UnitRow(*found[0]) if found else None

    def next_token(self, last: int) -> int:
        """For the next one who has a unit."""
        return max(last + 1, self.microseconds)

    def tell_of(self, run: RunRow, due: float | None = None) -> float | None:
        """When workers are to be told of a unit that is ready, or will be: of a run that has ended, never."""
        if run.state != "running":
            return None
        if due is None or due <= self.now:
            self.ready = True
            return self.now
        return due

    def moved(self, run: RunRow, step: str) -> None:
        """Something of this step was settled."""
        self._moved[run.name, step] = run

    def advances(self) -> list[Advance]:
        """How far each step is that moved."""
        return [self._advance(run, step) for (_, step), run in self._moved.items()]

    def end(self, run: RunRow, state: RunState, step: str = "", trouble: Trouble | None = None) -> None:
        """The run has ended, if it had not before; nothing of it is told to workers any more."""
        if run.state != "running":
            return
        # Each end has its own time, so that whoever was told of one is not thought to know of another.
        ended = self.now if run.ended is None else max(self.now, math.nextafter(run.ended, math.inf))
        why = None if trouble is None else encode_trouble(trouble)
        self._do("end_run", (state, ended, step, why, run.id))
        if state != "done":
            self._do("quiet_units", (run.id,))
        run.state, run.ended = state, ended
        self.ended = True

    def leave_letter(self, content: bytes) -> None:
        """Keep something for the dead letters."""
        self._do("add_run_letter", (new_id(), content))
        self.ended = True

    def _advance(self, of: RunRow, step: str) -> Advance:
        [(state, total, remaining)] = rows(self.connection, "head_of_step", (of.id, step))
        if total is None:
            done, total = int(state in ("done", "skipped")), 1
        else:
            done = total - remaining
        return Advance(run=of.name, step=step, state=state, done=done, total=total)

    def _do(self, statement: str, values: tuple[Any, ...]) -> None:
        run(self.connection, statement, values)
