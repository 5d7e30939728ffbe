"""Do what an operator wishes, and have it on record."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from goatherd.app import Goatherd
from goatherd.errors import GoatherdError, Unavailable
from goatherd.model.audit import AuditEntry, AuditFilter
from goatherd.model.ids import new_id
from goatherd.model.redaction import redacted
from goatherd.ports.audit import AuditTrail
from goatherd.web.control.visitor import NotAllowed, Visitor

#: Seconds that an action may take, and that the record of it may.
DEADLINE, NOTE_DEADLINE = 10.0, 5.0

#: Characters of an outcome, and bytes of details, that are noted.
LONGEST_OUTCOME, LONGEST_DETAILS = 1000, 8 * 1024

log = logging.getLogger("goatherd.audit")

R = TypeVar("R")


async def act(  # noqa: PLR0913 - who, what, of what, and how it is noted
    visitor: Visitor,
    app: Goatherd,
    action: str,
    target: str,
    doing: Callable[[], Awaitable[R]],
    details: Mapping[str, Any] | None = None,
    *,
    came_to: Callable[[R], Mapping[str, Any]] | None = None,
) -> R:
    """Do it and write down who did it, and what came of it; raises NotAllowed, and what `doing` raises.

    `came_to` tells what else is to be noted when it is done, such as how many things it was done to. Where it cannot
    be written down, it is not done: raises Unavailable.
    """
    if not visitor.may_act:
        raise NotAllowed(f"{visitor.name} may look, but not act; {action} was not done. Ask an operator.")
    # Before it is done, so that nothing is done that could not be written down.
    entry = _entry(visitor, app, action, target, _told(app, details or {}))
    trail = await _trail(app)
    outcome = "done"
    try:
        result = await _within_deadline(doing, action, target)
        if came_to is not None:
            entry = replace(entry, details=_told(app, {**(details or {}), **came_to(result)}))
        return result
    except asyncio.CancelledError:
        outcome = "not known: the dashboard was stopped"
        raise
    except Late as error:
        outcome = f"not known: no answer within {DEADLINE:g} s"
        raise Unavailable(str(error)) from error
    except Exception as error:
        outcome = f"failed: {error}" if isinstance(error, GoatherdError) else f"failed: {type(error).__name__}"
        raise
    finally:
        await _note(trail, replace(entry, at=app.clock.now(), outcome=outcome[:LONGEST_OUTCOME]))


class Late(Exception):
    """It took too long."""


async def _within_deadline(doing: Callable[[], Awaitable[R]], action: str, target: str) -> R:
    cutting = asyncio.timeout(DEADLINE)
    try:
        async with cutting:
            return await doing()
    except TimeoutError as error:
        if not cutting.expired():
            raise
        told = f"{action} of {target} did not end within {DEADLINE:g} s; look whether it was done."
        raise Late(told) from error


async def _trail(app: Goatherd) -> AuditTrail:
    """Where it will be noted, once that has been seen to be there; raises Unavailable."""
    try:
        async with asyncio.timeout(NOTE_DEADLINE):
            trail = await app.session().control_records.audit()
            await trail.find(AuditFilter(), 1)
            return trail
    except (TimeoutError, Unavailable) as error:
        raise Unavailable(f"Nothing was done, because it could not be noted in the audit log: {error}") from error


def _told(app: Goatherd, details: Mapping[str, Any]) -> bytes:
    """Details as they are noted: without secrets, and not too long."""
    told = msgspec.json.encode(redacted(dict(details), app.settings.redact), enc_hook=str)
    if len(told) <= LONGEST_DETAILS:
        return told
    return msgspec.json.encode({"cut": told[:LONGEST_DETAILS].decode("utf-8", "ignore") + "…"})


def _entry(visitor: Visitor, app: Goatherd, action: str, target: str, details: bytes) -> AuditEntry:
    return AuditEntry(
        id=new_id(),
        at=app.clock.now(),
        who=visitor.name,
        role=visitor.role,
        address=visitor.address,
        action=action,
        target=target,
        details=details,
    )


async def _note(trail: AuditTrail, entry: AuditEntry) -> None:
    told = {name: getattr(entry, name) for name in ("who", "role", "address", "action", "target", "outcome")}
    log.info("%s: %s of %s: %s", entry.who, entry.action, entry.target, entry.outcome, extra=told)
    try:
        async with asyncio.timeout(NOTE_DEADLINE):
            await trail.note(entry)
    except (TimeoutError, Unavailable) as error:
        # It has been done by now; this line is all that tells of it.
        why = "%s by %s of %s is missing in the audit log: %s"
        log.critical(why, entry.action, entry.who, entry.target, str(error) or "the store did not answer", extra=told)
