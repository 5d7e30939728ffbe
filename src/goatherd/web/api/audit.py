"""What operators did."""

import math
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from goatherd.desk.errors import NotThere
from goatherd.desk.job_facts import decoded
from goatherd.model.audit import AuditEntry, AuditFilter, AuditPlace
from goatherd.model.envelope import moment
from goatherd.web.api.asking import USUAL, Chosen, Cursor, Limit, Moment, Text
from goatherd.web.api.listing import Listed
from goatherd.web.api.problems import NAMED
from goatherd.web.dashboard.asking import App

router = APIRouter()


class AuditLine(BaseModel):
    """One action of one person, and what came of it."""

    id: str
    at: datetime
    who: str
    role: str
    address: str
    action: str
    target: str
    details: Any
    outcome: str


@router.get("/audit", summary="What operators did, the newest first", responses=NAMED)
async def list_audit(  # noqa: PLR0913 - one parameter for each name of the query
    app: App,
    *,
    text: Text = "",
    who: Chosen = None,
    action: Chosen = None,
    target: Chosen = None,
    since: Moment = None,
    until: Moment = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Listed[AuditLine]:
    """Those that fit all that is said; `text` is found in any part of them."""
    choice = AuditFilter(
        who=who,
        action=action,
        target=target,
        text=text.strip(),
        since=None if since is None else since.timestamp(),
        until=None if until is None else until.timestamp(),
    )
    trail = await app.session().control_records.audit()
    found = await trail.find(choice, limit + 1, _place(cursor) if cursor else None)
    more = _told(AuditPlace.of(found[limit - 1])) if len(found) > limit else None
    return Listed(items=[_line(entry) for entry in found[:limit]], next=more)


def _line(entry: AuditEntry) -> AuditLine:
    return AuditLine(
        id=entry.id,
        at=moment(entry.at),
        who=entry.who,
        role=entry.role,
        address=entry.address,
        action=entry.action,
        target=entry.target,
        details=decoded(entry.details),
        outcome=entry.outcome,
    )


def _told(place: AuditPlace) -> str:
    return f"{place.at!r}~{place.id}"


def _place(cursor: str) -> AuditPlace:
    at, tilde, id = cursor.partition("~")
    try:
        found = float(at) if tilde else math.nan
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise NotThere("page", cursor, "Begin with the newest, without a cursor.")
    return AuditPlace(at=found, id=id)
