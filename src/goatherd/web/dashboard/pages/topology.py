"""Topology: in what the broker differs from what the app wants."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from goatherd.desk.drift import drift
from goatherd.web.dashboard.asking import App
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import render

router = APIRouter()
PAGE = Page(title="Topology", path="/topology", key="y", icon="topology", router=router, group="System")


@router.get("/topology")
async def topology(request: Request, app: App, *, anew: bool = False) -> HTMLResponse:
    """The last comparison, or a new one."""
    return render(request, "topology.html", drift=await drift(app, anew=anew))
