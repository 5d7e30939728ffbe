"""Units, and who may have them."""

from collections.abc import Sequence

from goatherd.adapters.sqlite.queries import run
from goatherd.adapters.sqlite.steps_change import Change, RunRow, UnitRow, read_trouble
from goatherd.model.run_record import WHOLE, NoClaim, UnitClaim, UnitExchange, UnitKey


def claim(change: Change, exchange: UnitExchange) -> list[UnitClaim | NoClaim]:
    """Each of the units that a worker wants, or why it cannot have it."""
    return [_claim(change, key, exchange) for key in exchange.wanted]


def claim_again(
    change: Change, wanted: Sequence[UnitKey], before: Sequence[int | NoClaim]
) -> list[UnitClaim | NoClaim]:
    """What a worker was given under these tokens, as far as it still has it."""
    return [
        _still(change, key, given) if isinstance(given, int) else given
        for key, given in zip(wanted, before, strict=True)
    ]


def _claim(change: Change, key: UnitKey, exchange: UnitExchange) -> UnitClaim | NoClaim:
    of = change.run(key.run)
    if of is None:
        return "unknown"
    unit = change.unit(of, key)
    if unit is None:
        return _absent(change, of, key)
    refused = _refusal(change, of, unit)
    if refused is not None:
        return refused
    deaths = unit.deaths + (unit.state == "running")
    token = change.next_token(unit.token)
    values = (token, exchange.worker, change.now + exchange.lease, deaths, change.now, unit.id)
    run(change.connection, "claim_unit", values)
    return _given(of, key, unit._replace(token=token, deaths=deaths))


def _refusal(change: Change, of: RunRow, unit: UnitRow) -> NoClaim | None:
    if of.state != "running":
        return "over"
    match unit.state:
        case "ready":
            return None if unit.accepted <= change.now else "early"
        case "running":
            return None if unit.lease is not None and unit.lease <= change.now else "taken"
        case "waiting" | "held":
            return "early"
        case "spread" | "done" | "skipped" | "failed":
            return "over"


def _absent(change: Change, of: RunRow, key: UnitKey) -> NoClaim:
    """There is no such unit: perhaps not yet, perhaps not any more."""
    head = change.unit(of, UnitKey(run=key.run, step=key.step, item=WHOLE))
    if head is None:
        return "unknown"
    return "early" if of.state == "running" and head.state in ("waiting", "ready", "running") else "over"


def _still(change: Change, key: UnitKey, token: int) -> UnitClaim | NoClaim:
    of = change.run(key.run)
    unit = None if of is None else change.unit(of, key)
    if of is None or unit is None or of.state != "running":
        return "over"
    if unit.state == "running" and unit.token == token:
        return _given(of, key, unit)
    return "over" if unit.state in ("done", "skipped", "failed") else "taken"


def _given(of: RunRow, key: UnitKey, unit: UnitRow) -> UnitClaim:
    return UnitClaim(
        key=key, pipeline=of.pipeline, token=unit.token, size=unit.size, content=unit.content, phase=unit.phase,
        failures=unit.failures, deaths=unit.deaths, trouble=read_trouble(unit.trouble), trace_id=of.trace,
        priority=of.priority, accepted=unit.accepted, created=of.created, round=unit.round,
    )  # fmt: skip
