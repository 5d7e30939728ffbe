"""What operators did."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from goatherd.model.audit import AuditFilter, AuditPlace
from goatherd.web.dashboard.asking import App
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import render

#: Entries on a page.
MOST = 50

router = APIRouter()
PAGE = Page(title="Audit", path="/audit", key="a", icon="audit", router=router, group="System")


@router.get("/audit")
async def audit(  # noqa: PLR0913 - one parameter for each name of the query
    request: Request,
    app: App,
    *,
    text: str = "",
    who: str = "",
    action: str = "",
    at: float | None = None,
    id: str = "",
) -> HTMLResponse:
    """The newest first; `at` and `id` are where the page before this one ended."""
    trail = await app.session().control_records.audit()
    before = AuditPlace(at=at, id=id) if at is not None else None
    choice = AuditFilter(text=text.strip(), who=who or None, action=action or None)
    found = await trail.find(choice, MOST + 1, before)
    more = AuditPlace.of(found[MOST - 1]) if len(found) > MOST else None
    return render(request, "audit.html", entries=found[:MOST], more=more, text=text, who=who, action=action)
