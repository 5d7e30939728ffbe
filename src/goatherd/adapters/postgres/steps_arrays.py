"""Runs, settlements and decisions as arrays, one for each column, as the server takes them."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from goatherd.adapters.postgres.lane_arrays import Column, micros
from goatherd.model.run_record import (
    AgainLater,
    Arrived,
    Decision,
    FailRun,
    Foresee,
    LeaveOut,
    LetGo,
    NewRun,
    Onward,
    PassOver,
    Separate,
    Spread,
    StandIn,
    Succeed,
    Trouble,
    UnitHold,
    UnitKey,
    UnitSettlement,
)

#: Something that happens to a unit.
Act: TypeAlias = UnitSettlement | Decision

_KINDS: dict[type[Act], str] = {
    Succeed: "succeed", LeaveOut: "leave_out", AgainLater: "again", Separate: "separate", StandIn: "stand_in",
    FailRun: "fail", LetGo: "let_go", Spread: "spread", PassOver: "pass_over", Foresee: "foresee", Arrived: "arrived",
}  # fmt: skip
#: How many arrays `of_acts` gives.
_ACT_COLUMNS = 18

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Trouble).decode


def trouble_bytes(trouble: Trouble) -> bytes:
    """Why something failed, as the tables keep it."""
    return _encode(trouble)


def trouble_in(kept: bytes | None) -> Trouble | None:
    """Why something failed, if it did."""
    return None if kept is None else _decode(kept)


def of_runs(runs: Sequence[NewRun]) -> tuple[list[Any], ...]:
    """Ids, pipelines, inputs, trace ids, priorities, delays; then of the steps: whose they are, names, and counts."""
    steps = [(number, step.name, len(set(step.after))) for number, run in enumerate(runs, 1) for step in run.steps]
    return (
        [run.id for run in runs],
        [run.pipeline for run in runs],
        [run.input for run in runs],
        [run.trace_id for run in runs],
        [run.priority for run in runs],
        [micros(run.delay) for run in runs],
        [number for number, _, _ in steps],
        [name for _, name, _ in steps],
        [missing for _, _, missing in steps],
    )


def of_keys(keys: Iterable[UnitKey]) -> tuple[list[Any], ...]:
    """Runs, steps and items."""
    keys = tuple(keys)
    return [key.run for key in keys], [key.step for key in keys], [key.item for key in keys]


def of_holds(holds: Sequence[UnitHold]) -> tuple[list[Any], ...]:
    """Runs, steps, items and tokens."""
    return *of_keys(hold.key for hold in holds), [hold.token for hold in holds]


def of_acts(acts: Sequence[Act]) -> tuple[Column, ...]:
    """All that a unit's settlement or a decision says; None for columns in which nothing is said."""
    if not acts:
        return (None,) * _ACT_COLUMNS
    return (
        [_KINDS[type(act)] for act in acts],
        *of_keys(key_of(act) for act in acts),
        _said([_shown(act) for act in acts]),
        _said([act.result if isinstance(act, Succeed | Arrived) else None for act in acts]),
        _said([_trouble(act) for act in acts]),
        _said([_failures(act) for act in acts]),
        _said([micros(max(0.0, act.delay)) if isinstance(act, AgainLater) else None for act in acts]),
        _said([act.letter if isinstance(act, FailRun | Foresee) else None for act in acts]),
        _said([act.at_once if isinstance(act, Spread) else None for act in acts]),
        *_parts(acts),
        *_onward(acts),
    )


def key_of(act: Act) -> UnitKey:
    """The unit that it is about."""
    return act.key if isinstance(act, Decision) else act.hold.key


def _shown(act: Act) -> int | None:
    """The token of a claim, or the round that a decision was made in."""
    return getattr(act, "round", None) if isinstance(act, Decision) else act.hold.token


def _trouble(act: Act) -> bytes | None:
    trouble: Trouble | None = getattr(act, "trouble", None)
    return None if trouble is None else trouble_bytes(trouble)


def _failures(act: Act) -> int | None:
    match act:
        case AgainLater():
            return act.failures
        case StandIn() | FailRun() | Foresee():
            return act.trouble.attempts
    return None


def _parts(acts: Sequence[Act]) -> tuple[Column, ...]:
    """Of what is separated or spread: whose they are, first items, sizes and contents."""
    parts: list[tuple[int, int, int, bytes]] = []
    for number, act in enumerate(acts, 1):
        if isinstance(act, Separate):
            first = act.hold.key.item
            parts += [(number, first + place, 1, content) for place, content in enumerate(act.contents)]
        elif isinstance(act, Spread):
            parts += [(number, parcel.item, parcel.size, parcel.content) for parcel in act.parcels]
    return tuple(map(list, zip(*parts, strict=True))) if parts else (None,) * 4


def _onward(acts: Sequence[Act]) -> tuple[Column, ...]:
    """Runs, steps, and what waits for these, each once; nothing waits for the last one, with which the run is done."""
    known: dict[tuple[str, str], Onward] = {}
    for act in acts:
        if isinstance(act, Succeed | LeaveOut | Spread | PassOver | Arrived):
            key = key_of(act)
            known[key.run, key.step] = act.onward
    rows = [
        (run, step, then)
        for (run, step), onward in known.items()
        for then in (*onward.then, *((None,) if onward.last else ()))
    ]
    return tuple(map(list, zip(*rows, strict=True))) if rows else (None,) * 3


def _said(column: list[Any]) -> Column:
    return None if all(value is None for value in column) else column
